//! The rules of `--confirm`: actions that need a person's consent.
use std::str::FromStr;

use crate::Result;
use crate::browser::policy::OriginPattern;
use crate::mcp::arguments::closest_name;
use crate::messages::consent::GuardedAction;

/// Words on buttons that buy something. Only whole words match.
const PURCHASE_WORDS: &[&str] = &[
    "buy",
    "purchase",
    "pay",
    "checkout",
    "check out",
    "place order",
    "order now",
    "subscribe",
    "donate",
    "bid",
    "book now",
    "kaufen",
    "bestellen",
    "bezahlen",
    "zahlungspflichtig",
    "acheter",
    "payer",
    "commander",
    "comprar",
    "pagar",
    "acquista",
    "paga",
    "kopen",
    "betalen",
    "купить",
    "оплатить",
    "заказать",
];
/// Words on buttons that buy something, in scripts without word boundaries. They match anywhere in a text.
const PURCHASE_MARKS: &[&str] = &[
    "购买", "購買", "支付", "付款", "下单", "下單", "结算", "結帳", "订购", "購入", "注文", "支払", "구매",
    "결제", "주문",
];

/// The rules of `--confirm`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsentRules {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    /// `None` for all actions.
    action: Option<GuardedAction>,
    /// `None` for all origins.
    origin: Option<OriginPattern>,
}

impl FromStr for ConsentRules {
    type Err = String;

    /// Parses actions, origins, and actions at origins, separated by commas or semicolons, such as `upload,
    /// submit@https://bank.example`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
        let rules = parts.map(str::parse).collect::<Result<Vec<_>, _>>()?;
        if rules.is_empty() {
            return Err(
                "expected submit, purchase, download, upload, an origin, or such as submit@https://host"
                    .to_owned(),
            );
        }
        Ok(Self { rules })
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(action) = text.parse() {
            return Ok(Self { action: Some(action), origin: None });
        }
        let (action, origin) = match text.split_once('@') {
            Some((action, origin)) => (Some(action.parse().map_err(|_| no_kind(action))?), origin),
            // A single word is treated as a misspelt action: a host of one word needs a scheme or a port.
            None if is_word(text) => return Err(no_kind(text)),
            None => (None, text),
        };
        Ok(Self { action, origin: Some(origin.parse()?) })
    }
}

const KINDS: [&str; 4] = ["submit", "purchase", "download", "upload"];

/// Whether a text looks like a misspelt action rather than a host.
fn is_word(text: &str) -> bool {
    text != "localhost" && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
}

fn no_kind(text: &str) -> String {
    let advice = match closest_name(text, KINDS) {
        Some(near) => format!("; did you mean {near}?"),
        None => format!("; write a host as https://{text}"),
    };
    format!("{text:?} is none of {}{advice}", KINDS.join(", "))
}

impl ConsentRules {
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether one of `actions` at one of `origins` needs consent. `None` matches only rules without an
    /// action.
    pub(super) fn asks(&self, actions: &[Option<GuardedAction>], origins: &[String]) -> bool {
        self.rules.iter().any(|rule| {
            let is_there = |pattern: &OriginPattern| origins.iter().any(|origin| pattern.covers(origin));
            actions.contains(&rule.action) && rule.origin.as_ref().is_none_or(is_there)
        })
    }
}

/// Whether the text of a button suggests that it buys something.
pub(super) fn is_purchase(text: &str) -> bool {
    let plain = text.to_lowercase();
    let words: Vec<_> =
        plain.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let plain_words = format!(" {} ", words.join(" "));
    PURCHASE_WORDS.iter().any(|word| plain_words.contains(&format!(" {word} ")))
        || PURCHASE_MARKS.iter().any(|mark| plain.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_spend_money_are_known_as_words() {
        for text in
            ["Buy now", "Place  order", "PAY €5", "Check-out", "立即购买", "Zahlungspflichtig bestellen"]
        {
            assert!(is_purchase(text), "{text}");
        }
        for text in ["Buyers' guide", "Payload", "In order of place", "Book", "Save", ""] {
            assert!(!is_purchase(text), "{text}");
        }
    }

    #[test]
    fn rules_are_kinds_and_origins() {
        let consent: ConsentRules = "upload, submit@https://bank.example; *.shop.example".parse().unwrap();
        let asks = |action, origin: &str| consent.asks(&[action], &[origin.to_owned()]);
        assert!(asks(Some(GuardedAction::Upload), "https://any.example"));
        assert!(asks(Some(GuardedAction::Submit), "https://bank.example"));
        assert!(!asks(Some(GuardedAction::Submit), "https://other.example"));
        assert!(asks(None, "https://a.shop.example"));
        assert!(!asks(None, "https://bank.example"));
        for wrong in ["", "sumbit@https://bank.example", "a b", "submit@", "intranet"] {
            assert!(wrong.parse::<ConsentRules>().is_err(), "{wrong}");
        }
        for host in ["localhost", "http://intranet", "intranet:8080", "*.example"] {
            let _ = host.parse::<ConsentRules>().unwrap_or_else(|error| panic!("{host}: {error}"));
        }
        assert!("dowload".parse::<ConsentRules>().unwrap_err().ends_with("did you mean download?"));
    }
}
