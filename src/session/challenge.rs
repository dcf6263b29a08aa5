//! Detects challenges that need a person: logins, captchas and other checks.
//!
//! Challenges are detected and reported, never bypassed.
use serde::{Deserialize, Serialize};
use url::Url;

use crate::browser::{Page, ScriptWorld};
use crate::error::Result;
use crate::json::decode;

const LOOK: &str = include_str!("../browser/injected/challenge.js");

/// A page with at least this number of characters counts as content, even if it has a login form.
const SHORT_PAGE: usize = 1500;
/// The CSS pixel size from which a captcha's frame shows its question; a smaller one is only a checkbox.
const QUESTION_SIZE: (f64, f64) = (250.0, 250.0);

/// The kind of a challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ChallengeKind {
    /// A login form.
    Login,
    /// A captcha.
    Captcha,
    /// A page that asks the visitor to confirm that the traffic is human.
    UnusualTraffic,
    /// A check that the site runs before it delivers the page, such as Cloudflare's.
    Challenge,
    /// The caller asks for a person, although no challenge was detected.
    Asked,
}

/// Something on a page that only a person can do, such as a login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Challenge {
    pub kind: ChallengeKind,
    pub url: String,
    /// The name of the challenge, such as `reCAPTCHA`.
    pub what: String,
}

/// Why the caller opened the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitPurpose {
    /// To read the page: a login form that replaces the content is a challenge.
    Content,
    /// To act on the page: a login form is no challenge, since the caller may want to use it.
    Action,
}

/// The properties of a page that reveal a challenge.
#[derive(Debug, Default, Deserialize)]
struct Look {
    boxes: Vec<FrameBox>,
    /// Visible text fields, without password fields.
    fields: usize,
    password: bool,
    length: usize,
    text: String,
    title: String,
}

#[derive(Debug, Deserialize)]
struct FrameBox {
    source: String,
    size: (f64, f64),
}

/// The HTTP response of the document: its status, and whether its headers ask for a login or a check.
#[derive(Debug, Default)]
struct Answer {
    status: i64,
    asks: bool,
}

/// Recognises a challenge on the page; `None` if there is none. `asked` is the URL that was requested.
pub async fn detect_challenge(page: &Page, asked: &Url, purpose: VisitPurpose) -> Result<Option<Challenge>> {
    let look = page.main_frame().evaluate(LOOK, Vec::new(), ScriptWorld::Isolated).await?;
    let mut look: Look = decode(look.as_str().unwrap_or_default().as_bytes()).unwrap_or_default();
    // The script cannot find frames in closed shadow roots, so they are added here.
    let known = |look: &Look, url: &str| look.boxes.iter().any(|shown| shown.source == url);
    for frame in page.frames().into_iter().filter(|frame| frame.parent().is_some()) {
        let url = frame.url();
        if captcha_of(&url).is_some() && !known(&look, &url) && is_drawn(&frame).await {
            look.boxes.push(FrameBox { source: url, size: (0.0, 0.0) });
        }
    }
    let answer = page.document_response().map(|response| Answer {
        status: response.status,
        asks: response.headers.iter().any(|(name, value)| {
            let asks = name.eq_ignore_ascii_case("cf-mitigated") && value.eq_ignore_ascii_case("challenge");
            asks || name.eq_ignore_ascii_case("www-authenticate")
        }),
    });
    let url = page.url();
    let found = judge(&look, &answer.unwrap_or_default(), asked, &url, purpose);
    Ok(found.map(|(kind, what)| Challenge { kind, url, what }))
}

async fn is_drawn(frame: &crate::browser::Frame) -> bool {
    let Ok(Some((world, owner))) = frame.owner_element().await else { return false };
    let state = world.call_with::<serde_json::Value>("state", vec![owner.argument()]).await;
    state.is_ok_and(|state| state["visible"] == true)
}

fn judge(
    look: &Look,
    answer: &Answer,
    asked: &Url,
    url: &str,
    purpose: VisitPurpose,
) -> Option<(ChallengeKind, String)> {
    let short = look.length < SHORT_PAGE;
    let refused = matches!(answer.status, 401 | 403 | 429);
    let captchas = look.boxes.iter().filter_map(|shown| Some((captcha_of(&shown.source)?, shown.size)));
    for (captcha, (width, height)) in captchas {
        let asks = width >= QUESTION_SIZE.0 && height >= QUESTION_SIZE.1;
        // A captcha's checkbox next to other fields is part of their form, not a challenge of its own.
        let alone = short && look.fields == 0 && !look.password;
        if asks || alone || refused {
            return Some((ChallengeKind::Captcha, captcha.to_owned()));
        }
    }
    if short && (is_about_traffic(url) || says_unusual(look)) {
        return Some((ChallengeKind::UnusualTraffic, "a page about unusual traffic".to_owned()));
    }
    if purpose == VisitPurpose::Content && look.password && is_in_the_way(look, refused, asked, url) {
        return Some((ChallengeKind::Login, "a form that asks for a password".to_owned()));
    }
    if refused && answer.asks {
        return Some((ChallengeKind::Challenge, format!("HTTP {} with a challenge", answer.status)));
    }
    None
}

/// Whether a login form replaces the requested content, rather than being a part of the page.
fn is_in_the_way(look: &Look, refused: bool, asked: &Url, url: &str) -> bool {
    if is_for_login(asked) {
        return false;
    }
    // More than two text fields suggest a registration form.
    let asks_who = look.length < SHORT_PAGE && look.fields <= 2 && says_login(look);
    refused || asks_who || Url::parse(url).is_ok_and(|url| is_for_login(&url))
}

fn says_login(look: &Look) -> bool {
    const PHRASES: [&str; 9] =
        ["log in", "login", "log on", "sign in", "signin", "登录", "登錄", "登陆", "身份验证"];
    let text = look.text.to_lowercase();
    let title = look.title.to_lowercase();
    PHRASES.iter().any(|phrase| text.contains(phrase) || title.contains(phrase))
}

/// Whether the URL itself looks like a login page.
fn is_for_login(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    [
        "login", "log-in", "logon", "signin", "sign-in", "sign_in", "signup", "sign-up", "register", "auth",
        "password",
    ]
    .iter()
    .any(|word| path.contains(word))
}

/// Returns the vendor of a captcha by the URL of its frame; `None` if the frame is no captcha.
fn captcha_of(source: &str) -> Option<&'static str> {
    if source.starts_with("geetest:") {
        return Some("GeeTest");
    }
    let url = Url::parse(source).ok()?;
    let host = url.host_str()?;
    let is = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
    let path = url.path();
    if (is("google.com") || is("recaptcha.net")) && path.starts_with("/recaptcha/") {
        // The badge of an invisible reCAPTCHA asks nothing of the user.
        let badge = url.query_pairs().any(|(name, value)| name == "size" && value == "invisible");
        return (!badge).then_some("reCAPTCHA");
    }
    if is("hcaptcha.com") {
        return Some("hCaptcha");
    }
    if host == "challenges.cloudflare.com" {
        return Some("Cloudflare Turnstile");
    }
    (is("geetest.com") || is("geevisit.com")).then_some("GeeTest")
}

fn is_about_traffic(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| {
        let host = url.host_str().unwrap_or_default();
        (host.starts_with("www.google.") || host == "google.com") && url.path().starts_with("/sorry")
    })
}

fn says_unusual(look: &Look) -> bool {
    const PHRASES: [&str; 12] = [
        "异常流量",
        "我们的系统检测到",
        "验证您是真人",
        "请完成安全验证",
        "unusual traffic",
        "automated requests",
        "prove you're not a robot",
        "confirm you're not a robot",
        "verify you are human",
        "verify you're human",
        "verifying you are human",
        "checking your browser before",
    ];
    let text = look.text.to_lowercase().replace('’', "'");
    let title = look.title.to_lowercase();
    PHRASES.iter().any(|phrase| text.contains(phrase)) || title.starts_with("just a moment")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Url {
        Url::parse("https://a.example/report").unwrap()
    }

    fn kind(look: &Look, answer: &Answer, url: &str, purpose: VisitPurpose) -> Option<ChallengeKind> {
        judge(look, answer, &asked(), url, purpose).map(|(kind, _)| kind)
    }

    const HERE: &str = "https://a.example/report";
    const FINE: Answer = Answer { status: 200, asks: false };

    #[test]
    fn captchas_are_known_by_the_addresses_of_their_frames() {
        for (source, expected) in [
            ("https://www.google.com/recaptcha/api2/anchor?size=normal", Some("reCAPTCHA")),
            ("https://www.google.com/recaptcha/enterprise/bframe?k=1", Some("reCAPTCHA")),
            ("https://www.recaptcha.net/recaptcha/api2/bframe", Some("reCAPTCHA")),
            ("https://www.google.com/recaptcha/api2/anchor?size=invisible", None),
            ("https://newassets.hcaptcha.com/captcha/v1/x/hcaptcha.html", Some("hCaptcha")),
            ("https://challenges.cloudflare.com/cdn-cgi/challenge-platform/x", Some("Cloudflare Turnstile")),
            ("https://static.geetest.com/v4/x", Some("GeeTest")),
            ("https://www.google.com/maps/embed", None),
            ("https://nothcaptcha.com/", None),
            ("about:blank", None),
        ] {
            assert_eq!(captcha_of(source), expected, "{source}");
        }
    }

    fn captcha(size: (f64, f64)) -> Look {
        let source = "https://newassets.hcaptcha.com/captcha/v1/x".to_owned();
        Look { boxes: vec![FrameBox { source, size }], ..Look::default() }
    }

    #[test]
    fn a_checkbox_under_a_form_is_no_challenge_but_a_question_is() {
        let under_a_form = Look { fields: 2, ..captcha((300.0, 78.0)) };
        assert_eq!(kind(&under_a_form, &FINE, HERE, VisitPurpose::Content), None);
        let beside_content = Look { length: 9000, ..captcha((300.0, 78.0)) };
        assert_eq!(kind(&beside_content, &FINE, HERE, VisitPurpose::Content), None);
        assert_eq!(
            kind(&captcha((300.0, 78.0)), &FINE, HERE, VisitPurpose::Action),
            Some(ChallengeKind::Captcha)
        );
        let question = Look { fields: 2, length: 9000, ..captcha((400.0, 580.0)) };
        assert_eq!(kind(&question, &FINE, HERE, VisitPurpose::Action), Some(ChallengeKind::Captcha));
    }

    #[test]
    fn a_password_form_is_a_challenge_only_for_reading() {
        let title = "Sign in".to_owned();
        let form = Look { password: true, fields: 1, length: 80, title, ..Look::default() };
        assert_eq!(
            kind(&form, &FINE, "https://a.example/login?next=report", VisitPurpose::Content),
            Some(ChallengeKind::Login)
        );
        assert_eq!(kind(&form, &FINE, HERE, VisitPurpose::Content), Some(ChallengeKind::Login));
        assert_eq!(kind(&form, &FINE, HERE, VisitPurpose::Action), None);
        let registration = Look { password: true, fields: 4, length: 80, ..Look::default() };
        assert_eq!(kind(&registration, &FINE, HERE, VisitPurpose::Content), None);
        let beside_content = Look { length: 9000, ..form };
        assert_eq!(kind(&beside_content, &FINE, HERE, VisitPurpose::Content), None);
        let login = Url::parse("https://a.example/users/sign_in").unwrap();
        let form = Look { password: true, ..Look::default() };
        assert_eq!(judge(&form, &FINE, &login, login.as_str(), VisitPurpose::Content), None);
    }

    #[test]
    fn a_refusal_is_a_challenge_when_it_asks_for_something() {
        let empty = Look::default();
        for (status, asks, expected) in [
            (403, true, Some(ChallengeKind::Challenge)),
            (401, true, Some(ChallengeKind::Challenge)),
            (429, true, Some(ChallengeKind::Challenge)),
            (403, false, None),
            (500, true, None),
            (200, true, None),
        ] {
            assert_eq!(
                kind(&empty, &Answer { status, asks }, HERE, VisitPurpose::Action),
                expected,
                "{status}"
            );
        }
    }

    #[test]
    fn a_page_about_unusual_traffic_is_short() {
        let said = |text: &str, length| Look { text: text.to_owned(), length, ..Look::default() };
        let kind_of = |look: &Look| kind(look, &FINE, HERE, VisitPurpose::Content);
        for text in [
            "我们的系统检测到您的计算机网络中存在异常流量",
            "Please verify you’re human",
            "Our systems have detected unusual traffic",
        ] {
            assert_eq!(kind_of(&said(text, 200)), Some(ChallengeKind::UnusualTraffic), "{text}");
        }
        assert_eq!(kind_of(&said("How we handle unusual traffic", 8000)), None);
        assert_eq!(
            kind(&said("", 10), &FINE, "https://www.google.com/sorry/index", VisitPurpose::Content),
            Some(ChallengeKind::UnusualTraffic)
        );
    }
}
