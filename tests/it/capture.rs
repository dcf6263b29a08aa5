//! Pages as they are read for a snapshot: frames, shadow roots, refs.
use patchright_mcp::browser::{BrowserContext, NavigateOptions, Page, SnapshotTreeOptions};
use patchright_mcp::snapshot::{Options, render};

use crate::support::{Site, drive};

async fn open(context: &BrowserContext, site: &Site, html: &str) -> Page {
    site.page("/", html);
    let page = context.new_page().await.unwrap();
    page.goto(&site.url("/"), &NavigateOptions::default()).await.unwrap();
    page
}

async fn text(page: &Page) -> String {
    let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
    render(&tree, &Options::default()).text
}

#[test]
fn frames_of_both_kinds_and_closed_roots_are_read_in_their_places() {
    drive(async |context, site| {
        site.page("/same", "<button>In the same</button>");
        site.page("/other", "<button>In the other</button><iframe src='ORIGIN/same'></iframe>");
        let html =
            "<h1>Top</h1><iframe src='/same'></iframe><iframe src='OTHER/other'></iframe><div id=host></div>
            <script>
              const root = document.querySelector('#host').attachShadow({ mode: 'closed' });
              root.innerHTML = '<button>Closed</button><p id=inner></p>';
              root.querySelector('p').attachShadow({ mode: 'closed' }).innerHTML = '<a href=/x>Deeper</a>';
            </script>";
        let page = open(&context, &site, html).await;
        insta::assert_snapshot!(text(&page).await, @r#"
        - heading "Top" [level=1] [ref=e1]
        - iframe [ref=e2]:
          - button "In the same" [ref=f1e1]
        - iframe [ref=e3]:
          - button "In the other" [ref=f2e1]
          - iframe [ref=f2e2]:
            - button "In the same" [ref=f3e1]
        - button "Closed" [ref=e4]
        - link "Deeper" [ref=e6]:
          - /url: /x
        "#);
    });
}

#[test]
fn a_number_is_never_given_to_another_node() {
    drive(async |context, site| {
        let page = open(&context, &site, "<button>One</button>").await;
        site.page("/two", "<button>Two</button>");
        let options = NavigateOptions::default();
        let one = text(&page).await;
        page.goto(&site.url("/two"), &options).await.unwrap();
        let two = text(&page).await;
        page.go_back(&options).await.unwrap();
        page.main_frame()
            .evaluate(
                "document.body.append(Object.assign(document.createElement('button'), {textContent: 'Three'}))",
                vec![],
                patchright_mcp::browser::ScriptWorld::Isolated,
            )
            .await
            .unwrap();
        insta::assert_snapshot!([one, two, text(&page).await].concat(), @r#"
        - button "One" [ref=e1]
        - button "Two" [ref=e2]
        - button "One" [ref=e1]
        - button "Three" [ref=e3]
        "#);
    });
}
