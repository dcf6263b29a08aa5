//! stub
pub fn install(first: u32) -> String {
    format!("({{f:{first}}})")
}
