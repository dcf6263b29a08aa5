//! Keywords that mark an error text as a login timeout.

/// The keywords of login timeouts. An error text that contains any of them starts a cooldown.
pub const LOGIN_TIMEOUT_KEYWORDS: [&str; 7] =
    ["验证超时", "登录超时", "timeout", "captcha", "验证码", "login required", "authentication"];

/// The error text if nobody logged in before the time limit.
pub const LOGIN_TIMED_OUT: &str = "登录超时";
/// The error text if nobody passed the check before the time limit.
pub const CHALLENGE_TIMED_OUT: &str = "验证超时";
/// The error text if the page did not load before the time limit.
pub const PAGE_TIMED_OUT: &str = "timeout: the page did not load in its time";

/// Whether an error text contains one of the [`LOGIN_TIMEOUT_KEYWORDS`], ignoring case.
pub fn is_login_timeout(error: &str) -> bool {
    let error = error.to_lowercase();
    LOGIN_TIMEOUT_KEYWORDS.iter().any(|keyword| error.contains(keyword))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Generates text without a keyword.
    fn without_keywords() -> impl Strategy<Value = String> {
        "[b-zB-Z0-9 .:/!-]{0,60}".prop_filter("no keyword", |text| {
            let text = text.to_lowercase();
            !LOGIN_TIMEOUT_KEYWORDS.iter().any(|keyword| text.contains(keyword))
        })
    }

    fn in_some_case(text: &str, upper: &[bool]) -> String {
        let letters = text.chars().zip(upper.iter().chain(std::iter::repeat(&false)));
        letters
            .map(|(c, upper)| if *upper { c.to_uppercase().collect::<String>() } else { c.into() })
            .collect()
    }

    proptest! {
        /// Feature: patchright-login-cooldown, Property 1: Login Timeout Keyword Detection
        #[test]
        fn a_text_with_a_keyword_is_a_login_timeout(
            before in any::<String>(),
            keyword in select(&LOGIN_TIMEOUT_KEYWORDS[..]),
            upper in prop::collection::vec(any::<bool>(), 0..20),
            after in any::<String>(),
        ) {
            let text = format!("{before}{}{after}", in_some_case(keyword, &upper));
            prop_assert!(is_login_timeout(&text), "{text:?}");
        }

        /// Feature: patchright-login-cooldown, Property 2: Non-Login Error Rejection
        #[test]
        fn a_text_without_any_is_not(text in without_keywords()) {
            prop_assert!(!is_login_timeout(&text), "{text:?}");
        }
    }

    #[test]
    fn the_keywords_are_the_seven_of_the_design() {
        let listed =
            ["验证超时", "登录超时", "timeout", "captcha", "验证码", "login required", "authentication"];
        assert!(listed.iter().all(|keyword| is_login_timeout(keyword)));
        assert_eq!(LOGIN_TIMEOUT_KEYWORDS.len(), listed.len());
    }

    #[test]
    fn ordinary_failures_are_not_login_timeouts() {
        for text in
            ["", "Network error", "Element not found", "Connection refused", "404 Not Found", "timed out"]
        {
            assert!(!is_login_timeout(text), "{text}");
        }
    }

    #[test]
    fn what_the_engine_says_itself_when_a_wait_ran_out_is_one() {
        for text in [LOGIN_TIMED_OUT, CHALLENGE_TIMED_OUT, PAGE_TIMED_OUT] {
            assert!(is_login_timeout(text), "{text}");
        }
    }
}
