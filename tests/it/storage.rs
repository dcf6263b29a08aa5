//! Cookies and storage: kept apart between contexts, saved, and brought back.
use std::sync::Arc;

use patchright_mcp::browser::{
    BrowserContext, ContextOptions, NavigateOptions, Page, ScriptWorld, StorageState, StorageStateOptions,
};
use serde_json::{Value, json};

use crate::support::{Site, drive};

const FILL: &str = r#"async () => {
  document.cookie = "plain=1"; localStorage.setItem("key", "välue");
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt"]);
  const opening = indexedDB.open("shop", 3);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore("items", { keyPath: "id" }).createIndex("by", "name", { unique: true });
    opening.result.createObjectStore("loose");
  };
  await new Promise((done) => (opening.onsuccess = done));
  const change = opening.result.transaction(["items", "loose"], "readwrite");
  change.objectStore("items").put({ id: 1, name: "a", when: new Date(5), bytes: new Uint8Array([1, 2]), big: 7n });
  change.objectStore("loose").put([undefined, NaN, /x/g, { a: null }], "k");
  const file = new File(["text"], "a.txt", { type: "text/plain", lastModified: 9 });
  change.objectStore("loose").put([new Map([[1, new Set(["in"])]]), file, new Blob(["b"]), new TypeError("no")], "kinds");
  await new Promise((done) => (change.oncomplete = done));
  const secret = opening.result.transaction("loose", "readwrite");
  secret.objectStore("loose").put({ key }, "secret");
  await new Promise((done) => (secret.oncomplete = done));
  opening.result.close();
}"#;

const READ: &str = r#"async () => {
  const opening = indexedDB.open("shop");
  await new Promise((done) => (opening.onsuccess = done));
  const get = (store, key) => new Promise((done) => {
    const asked = opening.result.transaction(store).objectStore(store).get(key);
    asked.onsuccess = () => done(asked.result);
  });
  const item = await get("items", 1), loose = await get("loose", "k");
  const [map, file, blob, error] = await get("loose", "kinds");
  const kinds = [[...map.get(1)], file.name, file.type, file.lastModified, await file.text(), await blob.text(), String(error)];
  return JSON.stringify([kinds, typeof (await get("loose", "secret")), opening.result.version, item.name, item.when.getTime(), [...item.bytes], String(item.big),
    loose.map(String), loose[3].a, localStorage.getItem("key"), document.cookie]);
}"#;

async fn page_at(context: &BrowserContext, url: &str) -> Page {
    let page = context.new_page().await.unwrap();
    page.goto(url, &NavigateOptions::default()).await.unwrap();
    page
}

async fn run(page: &Page, script: &str) -> Value {
    page.main_frame().evaluate(script, Vec::new(), ScriptWorld::Main).await.unwrap()
}

async fn again(context: &BrowserContext, state: StorageState) -> BrowserContext {
    let options = ContextOptions { storage_state: Some(Arc::new(state)), ..ContextOptions::default() };
    context.browser().unwrap().new_context(options).await.unwrap()
}

fn rest(site: &Site) {
    site.page("/", "<title>here</title>");
    site.page("/away", "<title>away</title>");
}

#[test]
fn storage_of_every_kind_comes_back_without_asking_the_site() {
    drive(async |context, site| {
        rest(&site);
        let page = page_at(&context, &site.url("/")).await;
        run(&page, FILL).await;
        // Its other origin has been left again: nothing shows it now.
        page.goto(&site.other("/"), &NavigateOptions::default()).await.unwrap();
        run(&page, "() => localStorage.setItem('left', 'behind')").await;
        page.goto("about:blank", &NavigateOptions::default()).await.unwrap();

        let state = context
            .storage_state(StorageStateOptions { databases: true, ..StorageStateOptions::default() })
            .await
            .unwrap();
        assert_eq!(context.pages().len(), 1, "the page that read it is not one of ours");
        let text = serde_json::to_string(&state).unwrap();
        let state = StorageState::parse(&text).unwrap();

        let copy = again(&context, state.clone()).await;
        assert_eq!(copy.pages().len(), 0);
        let page = page_at(&copy, &site.url("/away")).await;
        let read = run(&page, READ).await;
        let expected = json!([
            [["in"], "a.txt", "text/plain", 9, "text", "b", "TypeError: no"],
            // A key that does not leave the browser is left out with its record.
            "undefined",
            3,
            "a",
            5,
            [1, 2],
            "7",
            ["undefined", "NaN", "/x/g", "[object Object]"],
            null,
            "välue",
            "plain=1"
        ]);
        assert_eq!(serde_json::from_str::<Value>(read.as_str().unwrap()).unwrap(), expected);
        page.goto(&site.other("/away"), &NavigateOptions::default()).await.unwrap();
        assert_eq!(run(&page, "() => localStorage.getItem('left')").await, json!("behind"));
        // What was saved of the copy is what it was made from.
        assert_eq!(
            copy.storage_state(StorageStateOptions { databases: true, ..StorageStateOptions::default() })
                .await
                .unwrap(),
            state
        );
        copy.close().await.unwrap();
    });
}

#[test]
fn cookies_of_every_kind_are_saved_and_restored() {
    drive(async |context, _site| {
        let cookies = json!({"cookies": [
            {"name": "__Host-id", "value": "h", "domain": "good.example", "path": "/", "expires": -1, "httpOnly": true, "secure": true, "sameSite": "Strict"},
            {"name": "wide", "value": "w", "domain": ".good.example", "path": "/a", "expires": 4_000_000_000_i64, "httpOnly": false, "secure": false, "sameSite": "Lax"},
            {"name": "part", "value": "p", "domain": "frame.example", "path": "/", "expires": -1, "httpOnly": false, "secure": true, "sameSite": "None",
             "partitionKey": "https://top.example", "_crHasCrossSiteAncestor": true},
        ], "origins": []});
        let state = StorageState::parse(&cookies.to_string()).unwrap();
        let copy = again(&context, state).await;
        let mut saved =
            serde_json::to_value(copy.storage_state(StorageStateOptions::default()).await.unwrap()).unwrap();
        let by_name = |cookie: &Value| cookie["name"].as_str().unwrap().to_owned();
        saved["cookies"].as_array_mut().unwrap().sort_by_key(by_name);
        let mut expected = cookies.clone();
        expected["cookies"].as_array_mut().unwrap().sort_by_key(by_name);
        // The browser keeps no cookie longer than 400 days.
        let expires =
            saved["cookies"].as_array_mut().unwrap().iter_mut().find(|cookie| cookie["name"] == "wide");
        let expires = expires.unwrap()["expires"].take();
        assert!(expires.as_f64().unwrap() > 1.0e9);
        expected["cookies"].as_array_mut().unwrap().iter_mut().for_each(|cookie| {
            if cookie["name"] == "wide" {
                cookie["expires"] = Value::Null;
            }
        });
        assert_eq!(saved, expected);
        copy.close().await.unwrap();
    });
}

#[test]
fn a_cookie_that_cannot_be_is_named() {
    drive(async |context, _site| {
        let state = StorageState::parse(
            r#"{"cookies":[
            {"name":"good","value":"1","domain":"a.example","path":"/"},
            {"name":"__Host-bad","value":"1","domain":".a.example","path":"/","secure":true}]}"#,
        );
        let error = context.add_cookies(&state.unwrap().cookies).await.unwrap_err();
        assert!(error.to_string().contains("__Host-bad"), "{error}");
    });
}

#[test]
fn contexts_share_nothing() {
    drive(async |context, site| {
        rest(&site);
        site.answer(
            "/cached",
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=1000\r\nContent-Length: 1\r\n\r\n1",
        );
        let cached = "async () => await (await fetch('/cached')).text()";
        let page = page_at(&context, &site.url("/")).await;
        run(&page, FILL).await;
        assert_eq!(run(&page, cached).await, json!("1"));
        site.answer(
            "/cached",
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=1000\r\nContent-Length: 1\r\n\r\n2",
        );
        assert_eq!(run(&page, cached).await, json!("1"), "the first context has it in its cache");
        let other = again(&context, StorageState::default()).await;
        let page = page_at(&other, &site.url("/")).await;
        let seen = "async () => [document.cookie, localStorage.length, (await indexedDB.databases()).length]";
        assert_eq!(run(&page, seen).await, json!(["", 0, 0]));
        assert_eq!(run(&page, cached).await, json!("2"));
        other.close().await.unwrap();
    });
}
