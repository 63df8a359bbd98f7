//! Chromium, without a window: opens a page, and tells what became of it.

use std::path::PathBuf;
use std::process::Command;

/// Names that try to be markup.
pub const HOSTILE: [&str; 5] = [
    "<script>alert('label')</script>.txt",
    "</script><img src=x onerror=console.error('broken')>",
    "<!--<script>",
    "a \"quoted\" & 'quoted' \u{2028} name\u{7}",
    "very-long-",
];

fn browser() -> PathBuf {
    let named = std::env::var_os("PRICETAG_CHROMIUM").map(PathBuf::from);
    let known = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .map(PathBuf::from);
    named
        .into_iter()
        .chain(known)
        .find(|path| path.exists())
        .expect(
            "Chromium is needed to test the report: install it, or name it in PRICETAG_CHROMIUM",
        )
}

/// Opens a page with a fragment; gives the document as the script left it, and what the console said.
pub fn open(page: &str, fragment: &str) -> (String, Vec<String>) {
    open_in(page, fragment, 1200)
}

/// The same in a window of so many pixels.
pub fn open_in(page: &str, fragment: &str, width: u32) -> (String, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report.html");
    std::fs::write(&file, page).unwrap();
    let output = Command::new(browser())
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--enable-logging=stderr",
            // Large data are unpacked after the page is loaded.
            "--virtual-time-budget=30000",
            "--dump-dom",
        ])
        .arg(format!("--window-size={width},900"))
        .arg(format!(
            "--user-data-dir={}",
            directory.path().join("profile").display()
        ))
        .arg(format!("file://{}#{fragment}", file.display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains("CONSOLE") || line.contains("Uncaught"))
        .map(str::to_owned)
        .collect();
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        document.contains("data-ready=\"yes\""),
        "the script did not finish: {}",
        &document[..document.len().min(400)]
    );
    (document, said)
}

/// The page with one more script, which its policy is made to allow; it runs when the page is built.
pub fn with_script(page: &str, script: &str) -> String {
    let (before, rest) = page.split_once("script-src 'sha256-").unwrap();
    let (_, after) = rest.split_once('\'').unwrap();
    let waiting = "<script>(async () => { while (!document.documentElement.dataset.ready) await new Promise((go) => setTimeout(go, 20));";
    let script = script
        .replace("<script>", waiting)
        .replace("</script>", "})();</script>");
    format!("{before}script-src 'unsafe-inline'{after}")
        .replace("</body>", &format!("{script}</body>"))
}

/// The title of a document.
pub fn title(document: &str) -> &str {
    let rest = document.split_once("<title>").unwrap().1;
    rest.split_once("</title>").unwrap().0
}
