//! Converts values between Python and JavaScript as Playwright does, and dictionaries of options to structs.
use std::collections::HashMap;

use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PySequence, PyString};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

use super::given;
use super::handle::JsHandle;
use crate::browser::JsValue;

pyo3::import_exception!(patchright_mcp.errors, Error); // This class is written in Python.

/// A wrapper that converts a JavaScript value to a Python object.
pub(super) struct ToPython(pub(super) JsValue);

/// A wrapper that converts JSON to a Python object.
pub(super) struct Plain(pub(super) Json);

impl<'py> IntoPyObject<'py> for ToPython {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Reader { py, met: HashMap::new() }.read(&self.0)
    }
}

impl<'py> IntoPyObject<'py> for Plain {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_to_python(py, &self.0)
    }
}

fn json_to_python<'py>(py: Python<'py>, value: &Json) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Json::Null => Ok(py.None().into_bound(py)),
        Json::Bool(value) => value.into_bound_py_any(py),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_bound_py_any(py),
            None => number.as_f64().unwrap_or(f64::NAN).into_bound_py_any(py),
        },
        Json::String(text) => text.into_bound_py_any(py),
        Json::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(json_to_python(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Json::Object(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(key, json_to_python(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}

struct Reader<'py> {
    py: Python<'py>,
    /// The Python objects created so far, by number of the JavaScript object, to resolve repeated references.
    met: HashMap<u64, Bound<'py, PyAny>>,
}

impl<'py> Reader<'py> {
    fn read(&mut self, value: &JsValue) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match value {
            JsValue::Undefined | JsValue::Null => Ok(py.None().into_bound(py)),
            JsValue::Bool(value) => value.into_bound_py_any(py),
            JsValue::Number(number) => number_to_python(py, *number),
            JsValue::BigInt(digits) => py.get_type::<PyInt>().call1((digits,)),
            JsValue::Text(text) => text.into_bound_py_any(py),
            JsValue::Date(text) => date_to_python(py, text),
            JsValue::Url(text) => py.import("urllib.parse")?.call_method1("urlparse", (text,)),
            JsValue::Error { name, message, stack } => {
                let error = py.import("patchright_mcp.errors")?.getattr("Error")?;
                error.call_method1("_of_page", (message, name, stack))
            }
            JsValue::Array { number, items } => {
                let list = PyList::empty(py);
                self.met.insert(*number, list.clone().into_any());
                for item in items {
                    list.append(self.read(item)?)?;
                }
                Ok(list.into_any())
            }
            JsValue::Object { number, entries } => {
                let dict = PyDict::new(py);
                self.met.insert(*number, dict.clone().into_any());
                for (key, value) in entries {
                    dict.set_item(key, self.read(value)?)?;
                }
                Ok(dict.into_any())
            }
            JsValue::Bytes(bytes) => Ok(PyBytes::new(py, bytes).into_any()),
            JsValue::Regex { source, flags } => regex_to_python(py, source, flags),
            JsValue::Map { .. } | JsValue::Set { .. } => Ok(PyDict::new(py).into_any()),
            JsValue::Reference(number) => {
                Ok(self.met.get(number).cloned().unwrap_or_else(|| py.None().into_bound(py)))
            }
            JsValue::Handle(handle) => JsHandle(handle.clone()).into_bound_py_any(py),
        }
    }
}

/// Converts a number to `int` if it is a whole number, otherwise to `float`.
#[expect(clippy::cast_possible_truncation, reason = "whole and within the bounds of an i64")]
fn number_to_python(py: Python<'_>, number: f64) -> PyResult<Bound<'_, PyAny>> {
    const LARGEST: f64 = 9.2e18;
    let whole = number.fract() == 0.0 && !(number == 0.0 && number.is_sign_negative());
    match whole {
        true if number.abs() < LARGEST => (number as i64).into_bound_py_any(py),
        true if number.abs() < 1e21 => PyFloat::new(py, number).call_method0("__int__"),
        _ => number.into_bound_py_any(py),
    }
}

fn date_to_python<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let datetime = py.import("datetime")?;
    let utc = datetime.getattr("timezone")?.getattr("utc")?;
    let naive = datetime.getattr("datetime")?.call_method1("fromisoformat", (text.trim_end_matches('Z'),))?;
    let zone = PyDict::new(py);
    zone.set_item("tzinfo", utc)?;
    naive.call_method("replace", (), Some(&zone))
}

/// Converts a Python value to a script argument. `None` becomes `null`.
pub(super) fn to_js(value: &Bound<'_, PyAny>) -> PyResult<JsValue> {
    Writer { met: HashMap::new(), held: Vec::new(), depth: 0 }.write(value)
}

/// The maximum nesting depth of lists and dictionaries in arguments and results.
const DEEPEST: usize = 500;

struct Writer<'py> {
    /// Numbers of the lists and dictionaries visited so far, by Python `id`, to encode repeated references.
    met: HashMap<usize, u64>,
    /// The visited objects, kept alive so that Python cannot reuse their `id`.
    held: Vec<Bound<'py, PyAny>>,
    depth: usize,
}

impl<'py> Writer<'py> {
    fn write(&mut self, value: &Bound<'py, PyAny>) -> PyResult<JsValue> {
        if value.is_none() {
            return Ok(JsValue::Null);
        }
        if value.is_instance_of::<PyBool>() {
            return Ok(JsValue::Bool(value.is_truthy()?));
        }
        if value.is_instance_of::<PyInt>() {
            return Ok(JsValue::Number(value.extract().unwrap_or(f64::INFINITY)));
        }
        if value.is_instance_of::<PyFloat>() {
            return Ok(JsValue::Number(value.extract()?));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(JsValue::Text(text.to_str()?.to_owned()));
        }
        if let Ok(handle) =
            value.getattr("_native").and_then(|native| Ok(native.cast::<JsHandle>()?.get().0.clone()))
        {
            return Ok(JsValue::Handle(handle));
        }
        if let Some(known) = self.known_class(value)? {
            return Ok(known);
        }
        let identity = value.as_ptr().addr();
        if let Some(number) = self.met.get(&identity) {
            return Ok(JsValue::Reference(*number));
        }
        let number = self.met.len() as u64 + 1;
        self.met.insert(identity, number);
        self.held.push(value.clone());
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::new_err(format!("arg: expected at most {DEEPEST} levels of nesting")));
        }
        let written = self.write_container(value, number);
        self.depth -= 1;
        written
    }

    fn write_container(&mut self, value: &Bound<'py, PyAny>, number: u64) -> PyResult<JsValue> {
        if let Ok(mapping) = value.cast::<PyMapping>() {
            let mut entries = Vec::new();
            for pair in mapping.items()?.iter() {
                let (key, item): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
                entries.push((key.str()?.to_str()?.to_owned(), self.write(&item)?));
            }
            return Ok(JsValue::Object { number, entries });
        }
        if let Ok(sequence) = value.cast::<PySequence>() {
            let items = sequence.try_iter()?.map(|item| self.write(&item?)).collect::<PyResult<_>>()?;
            return Ok(JsValue::Array { number, items });
        }
        let text = value.repr()?;
        Err(Error::new_err(format!("arg: Attempting to serialize unexpected value: {text}")))
    }

    /// Converts dates, bytes, regular expressions, URLs and exceptions; `None` for other classes.
    fn known_class(&self, value: &Bound<'py, PyAny>) -> PyResult<Option<JsValue>> {
        let py = value.py();
        if value.is_instance(&datetime_class(py)?)? {
            let utc = py.import("datetime")?.getattr("timezone")?.getattr("utc")?;
            let text = value
                .call_method1("astimezone", (utc,))?
                .call_method1("strftime", ("%Y-%m-%dT%H:%M:%S.%fZ",))?;
            return Ok(Some(JsValue::Date(text.extract()?)));
        }
        let class = value.get_type();
        let name = class.name()?;
        if matches!(name.to_str()?, "bytes" | "bytearray" | "memoryview") {
            let bytes = value.py().get_type::<PyBytes>().call1((value,))?;
            return Ok(Some(JsValue::Bytes(bytes.extract()?)));
        }
        if name == "Pattern" {
            return Ok(Some(pattern_to_js(value)?));
        }
        if name == "ParseResult" {
            return Ok(Some(JsValue::Url(value.call_method0("geturl")?.extract()?)));
        }
        if value.is_instance_of::<pyo3::exceptions::PyBaseException>() {
            let named =
                |attribute: &str| value.getattr(attribute).and_then(|text| text.extract::<String>()).ok();
            let message = value.str()?.to_str()?.to_owned();
            let name = named("name").unwrap_or(name.to_str()?.to_owned());
            let stack = named("_stack").unwrap_or_else(|| format!("{name}: {message}"));
            return Ok(Some(JsValue::Error { name, message, stack }));
        }
        Ok(None)
    }
}

/// Regular expression flags that both languages have: the JavaScript letter and the Python name.
const FLAGS: [(char, &str); 3] = [('i', "IGNORECASE"), ('m', "MULTILINE"), ('s', "DOTALL")];

fn regex_to_python<'py>(py: Python<'py>, source: &str, flags: &str) -> PyResult<Bound<'py, PyAny>> {
    let re = py.import("re")?;
    let mut chosen = 0;
    for (letter, name) in FLAGS {
        if flags.contains(letter) {
            chosen |= re.getattr(name)?.extract::<i64>()?;
        }
    }
    re.call_method1("compile", (source, chosen))
}

fn pattern_to_js(pattern: &Bound<'_, PyAny>) -> PyResult<JsValue> {
    let re = pattern.py().import("re")?;
    let chosen: i64 = pattern.getattr("flags")?.extract()?;
    let mut flags = String::new();
    for (letter, name) in FLAGS {
        if chosen & re.getattr(name)?.extract::<i64>()? != 0 {
            flags.push(letter);
        }
    }
    Ok(JsValue::Regex { source: pattern.getattr("pattern")?.extract()?, flags })
}

fn datetime_class(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class =
        CLASS.get_or_try_init(py, || py.import("datetime")?.getattr("datetime").map(Bound::unbind))?;
    Ok(class.bind(py).clone())
}

/// Converts a dictionary of options to JSON. Paths become strings.
pub(super) fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Json> {
    if value.is_none() {
        return Ok(Json::Null);
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Json::Bool(value.is_truthy()?));
    }
    if value.is_instance_of::<PyInt>() {
        return value.extract::<i64>().map(Json::from);
    }
    if value.is_instance_of::<PyFloat>() {
        return value.extract::<f64>().map(Json::from);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Json::from(text.to_str()?));
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let mut object = Map::new();
        for pair in mapping.items()?.iter() {
            let (key, item): (String, Bound<'_, PyAny>) = pair.extract()?;
            object.insert(key, to_json(&item)?);
        }
        return Ok(Json::Object(object));
    }
    if let Ok(sequence) = value.cast::<PySequence>() {
        return sequence.try_iter()?.map(|item| to_json(&item?)).collect();
    }
    if let Ok(path) = value.call_method0("__fspath__") {
        return to_json(&path);
    }
    Err(PyTypeError::new_err(format!("a value of type {} cannot be an option", value.get_type().name()?)))
}

/// Converts a dictionary to an options struct. Errors name the invalid option.
pub(super) fn options<T: DeserializeOwned>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    given::read(to_json(value)?).map_err(Error::new_err)
}
