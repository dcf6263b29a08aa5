# The server with Debian's Chromium, as a user of its own, its sandbox on.
#
#   docker build -t patchright-mcp .
#   docker run -i --rm --security-opt seccomp=docker/seccomp.json --shm-size=1g patchright-mcp
#
# docs/guides/docker.md tells the rest: read-only, over HTTP, with fonts for Chinese, Japanese and Korean.

FROM rust:1-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends cmake g++ make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
RUN cargo build --locked --profile dist --bin patchright-mcp

FROM debian:bookworm-slim
ARG VERSION=unknown
LABEL org.opencontainers.image.title="patchright-mcp" \
      org.opencontainers.image.description="A browser for agents: drives your own Chromium, reads pages as short text, leaves no traces." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/patchright-mcp/patchright_mcp" \
      org.opencontainers.image.version="${VERSION}" \
      io.modelcontextprotocol.server.name="io.github.patchright-mcp/patchright_mcp"
# More packages, such as fonts-noto-cjk for Chinese, Japanese and Korean (57 MB).
ARG MORE=""
# Versions are Debian's to choose: yesterday's browser is what nobody should pin.
# hadolint ignore=DL3008,SC2086
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates chromium fonts-liberation tini ${MORE} \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --create-home --home-dir /home/browser browser \
 && install -d -o browser -g browser /work
COPY --from=build /build/target/dist/patchright-mcp /usr/local/bin/patchright-mcp
COPY LICENSE /usr/share/doc/patchright-mcp/LICENSE
USER 10001:10001
WORKDIR /work
ENV HOME=/home/browser \
    PATCHRIGHT_MCP_HEADLESS=true \
    PATCHRIGHT_MCP_EXECUTABLE_PATH=/usr/lib/chromium/chromium
EXPOSE 8931
# It says nothing against a server on standard input, which has no address to be asked at.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["patchright-mcp", "health", "--or-stdio"]
# Chromium leaves children behind that somebody must bury.
ENTRYPOINT ["tini", "--", "patchright-mcp"]
