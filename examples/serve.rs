fn main() {
    std::process::exit(patchright_mcp::cli::main(std::env::args_os().skip(1).collect()))
}
