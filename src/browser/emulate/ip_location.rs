//! Matches a context's time zone, language and geolocation to its public IP address.
use std::time::Duration;

use serde_json::Value;

use crate::browser::objects::context::BrowserContext;
use crate::browser::options::emulation::Geolocation;
use crate::browser::traffic::api_request::{ApiContext, ApiOptions, ApiRequest};
use crate::error::{Error, Result};

/// The default service for locating the public IP address.
pub const DEFAULT_GEOLOCATION_SERVICE: &str = "https://ipapi.co/json/";
const LIMIT: Duration = Duration::from_secs(15);
const LARGEST_ANSWER: usize = 1 << 16;
/// The accuracy in metres of a location that is derived from an IP address.
const ACCURACY: f64 = 10_000.0;

/// The location of a public IP address, as a geolocation service reports it.
#[derive(Debug, Clone, PartialEq)]
pub struct IpLocation {
    pub timezone: String,
    pub locale: Option<String>,
    pub place: Option<Geolocation>,
}

impl BrowserContext {
    /// Sets time zone, language and geolocation to those of the public IP address, as reported by `service`,
    /// unless they are set already. Affects only pages that are opened afterwards.
    ///
    /// # Errors `unsupported` if the service reports no time zone, or if WebRTC would bypass the proxy.
    pub async fn match_proxy_location(&self, service: &str) -> Result<IpLocation> {
        if self.has_another_address()? {
            return Err(unknown_location(
                "WebRTC would pass by the proxy of a context and emit another address: launch the browser with a proxy, or with \
                 args=[\"--force-webrtc-ip-handling-policy=disable_non_proxied_udp\"]",
            ));
        }
        let options = ApiOptions { limit: LIMIT, largest_body: LARGEST_ANSWER, ..ApiOptions::default() };
        let request =
            ApiRequest { url: service.to_owned(), method: "GET".to_owned(), ..ApiRequest::default() };
        let answer = ApiContext::with_network_of(self, options).fetch(&request).await?;
        let answer_json =
            serde_json::from_slice::<Value>(&answer.body).ok().and_then(|answer_json| read(&answer_json));
        let found = answer_json.ok_or_else(|| {
            unknown_location("the service that was asked where this is tells no time zone; name another one by its address")
        })?;
        self.change_options(|options| {
            options.timezone.get_or_insert_with(|| found.timezone.clone());
            options.locale = options.locale.take().or_else(|| found.locale.clone());
            options.emulation.geolocation = options.emulation.geolocation.or(found.place);
        });
        Ok(found)
    }
}

fn unknown_location(reason: &str) -> Error {
    Error::Unsupported { what: "being where the proxy is", reason: reason.to_owned() }
}

/// Parses the answer of a geolocation service, whose field names vary. `None` if there is no time zone.
fn read(answer: &Value) -> Option<IpLocation> {
    let text = |names: &[&str]| names.iter().find_map(|name| answer.pointer(name)?.as_str());
    let number = |names: &[&str]| names.iter().find_map(|name| answer.pointer(name)?.as_f64());
    let timezone =
        text(&["/timezone", "/time_zone", "/timezone/id", "/time_zone/name", "/location/time_zone"])?;
    let country = text(&["/country_code", "/countryCode", "/country_code2", "/country/iso_code", "/country"]);
    let first = text(&["/languages"]).and_then(|all| all.split(',').next()).filter(|first| !first.is_empty());
    let locale = match (first, country) {
        (Some(language), Some(country)) if !language.contains('-') => Some(format!("{language}-{country}")),
        (Some(language), _) => Some(language.to_owned()),
        (None, country) => country.and_then(locale_of),
    };
    let both = || {
        let pair = text(&["/loc"])?.split_once(',')?;
        Some((pair.0.trim().parse().ok()?, pair.1.trim().parse().ok()?))
    };
    let latitude = number(&["/latitude", "/lat", "/location/latitude"]);
    let longitude = number(&["/longitude", "/lon", "/lng", "/location/longitude"]);
    let place = latitude.zip(longitude).or_else(both);
    let place = place.map(|(latitude, longitude)| Geolocation { latitude, longitude, accuracy: ACCURACY });
    Some(IpLocation { timezone: timezone.to_owned(), locale, place })
}

/// Returns the most common browser language of a country: `de-AT` for `AT`.
fn locale_of(country: &str) -> Option<String> {
    const BY_LANGUAGE: [(&str, &str); 33] = [
        ("en", "US GB AU CA IE NZ ZA IN SG NG KE GH PH JM"),
        ("de", "DE AT CH LI LU"),
        ("fr", "FR BE MC SN CI CM"),
        ("es", "ES MX AR CO CL PE VE EC GT CU BO DO HN PY SV NI CR PA UY PR"),
        ("pt", "BR PT AO MZ"),
        ("it", "IT SM VA"),
        ("nl", "NL SR"),
        ("pl", "PL"),
        ("ru", "RU BY KZ KG"),
        ("uk", "UA"),
        ("cs", "CZ"),
        ("sk", "SK"),
        ("hu", "HU"),
        ("ro", "RO MD"),
        ("bg", "BG"),
        ("el", "GR CY"),
        ("tr", "TR"),
        ("sv", "SE"),
        ("da", "DK"),
        ("nb", "NO"),
        ("fi", "FI"),
        ("hr", "HR"),
        ("sr", "RS"),
        ("sl", "SI"),
        ("lt", "LT"),
        ("lv", "LV"),
        ("et", "EE"),
        ("ar", "SA AE EG IQ JO KW LB LY MA OM QA SY TN YE DZ BH"),
        ("he", "IL"),
        ("ja", "JP"),
        ("ko", "KR"),
        ("zh", "CN TW HK MO"),
        ("vi", "VN"),
    ];
    const OTHERS: [(&str, &str); 4] = [("TH", "th-TH"), ("ID", "id-ID"), ("IR", "fa-IR"), ("MY", "ms-MY")];
    let country = country.to_ascii_uppercase();
    let known = BY_LANGUAGE.iter().find(|(_, countries)| countries.split(' ').any(|one| one == country));
    let other = || OTHERS.iter().find(|(one, _)| *one == country).map(|(_, locale)| (*locale).to_owned());
    known.map(|(language, _)| format!("{language}-{country}")).or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn answers_of_the_usual_services_are_understood() {
        let vienna = Some(Geolocation { latitude: 48.2, longitude: 16.4, accuracy: ACCURACY });
        for answer in [
            json!({ "country_code": "AT", "timezone": "Europe/Vienna", "languages": "de-AT,hr", "latitude": 48.2,
                    "longitude": 16.4 }),
            json!({ "countryCode": "AT", "timezone": "Europe/Vienna", "lat": 48.2, "lon": 16.4 }),
            json!({ "country_code": "AT", "timezone": { "id": "Europe/Vienna" }, "latitude": 48.2,
                    "longitude": 16.4 }),
            json!({ "country": "AT", "timezone": "Europe/Vienna", "loc": "48.2,16.4" }),
        ] {
            let expected = IpLocation {
                timezone: "Europe/Vienna".to_owned(),
                locale: Some("de-AT".to_owned()),
                place: vienna,
            };
            assert_eq!(read(&answer), Some(expected), "{answer}");
        }
        assert_eq!(read(&json!({ "error": true, "reason": "RateLimited" })), None);
        let bare = read(&json!({ "timezone": "Asia/Bangkok", "country": "th" })).expect("a zone");
        assert_eq!((bare.locale.as_deref(), bare.place), (Some("th-TH"), None));
    }
}
