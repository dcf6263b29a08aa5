// Bundles the sources in pages/ that import libraries; the pages that load a library as it is need none.
const { build } = require("esbuild");
const { readdirSync } = require("node:fs");
const { join, resolve } = require("node:path");

const pages = join(__dirname, "pages");
const modules = resolve("target/zoo/node_modules");

build({
  absWorkingDir: resolve("."),
  entryPoints: readdirSync(pages).filter((name) => /\.jsx?$/.test(name)).map((name) => join(pages, name)),
  outdir: "target/zoo/bundles",
  bundle: true,
  format: "iife",
  jsx: "automatic",
  target: "chrome120",
  minify: true,
  logLevel: "warning",
  nodePaths: [modules],
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".svg": "dataurl", ".png": "dataurl", ".woff": "dataurl", ".woff2": "dataurl", ".ttf": "dataurl" },
}).catch(() => process.exit(1));
