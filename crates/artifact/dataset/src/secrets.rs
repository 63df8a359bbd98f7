//! Commands as they are kept: without the values of arguments that look like secrets.
//!
//! A dataset, a model and a report are passed on; a password on the command line that made them is not meant to be. What looks like one is told by its name, as in
//! `-Dapp.password=…`, `--api-key …`, `TOKEN=…`, `jdbc:x://host/db?password=…`, by its place in an address, `https://user:…@host`, or by a form that services give their keys.
//! Limits: a secret behind an innocent name (`-p …`) is kept.

/// What stands in the place of a secret.
pub const HIDDEN: &str = "***";

/// Words that name a secret, or end in such a name, as in `dbpassword`.
const ENDINGS: [&str; 8] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "apikey",
    "credential",
    "credentials",
];
/// Words that do so by themselves alone.
const WORDS: [&str; 9] = [
    "pass",
    "pwd",
    "pw",
    "token",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "jwt",
];
/// Words that make one of a `key`.
const KEYS: [&str; 9] = [
    "api",
    "access",
    "private",
    "secret",
    "encryption",
    "signing",
    "account",
    "license",
    "auth",
];
/// What keys of well-known services begin with.
const FORMS: [&str; 10] = [
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "sk_live_",
    "AKIA",
    "eyJ",
];

/// The words of a command, with [`HIDDEN`] for each value that looks like a secret.
pub fn without_secrets(words: &[String]) -> Vec<String> {
    let mut follows = false;
    let mut kept = Vec::with_capacity(words.len());
    for word in words {
        let value = std::mem::take(&mut follows) && !word.starts_with('-');
        if value {
            kept.push(HIDDEN.to_owned());
        } else {
            follows = word.starts_with('-') && !word.contains(['=', ':']) && names_secret(word);
            kept.push(hidden(word));
        }
    }
    kept
}

/// Whether a name is that of a secret: `dbPassword`, `--api-key`, `X-Auth-Token`.
pub fn names_secret(name: &str) -> bool {
    // Java and Gradle define properties without a sign between: `-Dtoken=…`, `-Ptoken=…`.
    let property = ["-D", "-P"]
        .iter()
        .find_map(|begin| name.strip_prefix(begin));
    is_secret(name) || property.is_some_and(is_secret)
}

fn is_secret(name: &str) -> bool {
    let words = words(name);
    let ends = |word: &String| ENDINGS.iter().any(|ending| word.ends_with(ending));
    let is = |word: &String| WORDS.contains(&word.as_str());
    let key = |pair: &[String]| pair[1] == "key" && KEYS.contains(&pair[0].as_str());
    words.iter().any(ends) || words.last().is_some_and(is) || words.windows(2).any(key)
}

/// The words of a name, in lower case: they are told apart by signs and by capitals.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && before.is_lowercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// One word without the secrets in it.
fn hidden(word: &str) -> String {
    // The first name speaks for all that follows: a password may hold any sign.
    if let Some((name, value)) = word.split_once(['=', ':'])
        && !value.is_empty()
        && names_secret(name)
    {
        return format!("{}{HIDDEN}", &word[..=name.len()]);
    }
    let mut out = String::with_capacity(word.len());
    for piece in word.split_inclusive(['?', '&', ';', ',', ' ']) {
        let end = piece.len() - usize::from(piece.ends_with(['?', '&', ';', ',', ' ']));
        let (piece, sign) = piece.split_at(end);
        match piece.rsplit_once('=') {
            Some((name, value)) if !value.is_empty() && names_secret(name) => {
                out.push_str(name);
                out.push('=');
                out.push_str(HIDDEN);
            }
            Some((name, value)) => {
                out.push_str(&without_user(name));
                out.push('=');
                out.push_str(&without_form(&without_user(value)));
            }
            None => out.push_str(&without_form(&without_user(piece))),
        }
        out.push_str(sign);
    }
    out
}

/// An address without the password of its user.
fn without_user(text: &str) -> String {
    let user = text.split_once("://").and_then(|(scheme, rest)| {
        let host = rest.split('/').next().unwrap_or(rest);
        let (user, _) = host.rsplit_once('@')?.0.split_once(':')?;
        let after = &rest[host.rfind('@')?..];
        Some(format!("{scheme}://{user}:{HIDDEN}{after}"))
    });
    user.unwrap_or_else(|| text.to_owned())
}

/// Nothing of a word that has the form of a service's key.
fn without_form(text: &str) -> String {
    let form = FORMS.iter().any(|begin| text.starts_with(begin));
    if form && text.len() >= 20 && !text.contains(['/', '\\']) {
        HIDDEN.to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(command: &[&str]) -> Vec<String> {
        let words: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        without_secrets(&words)
    }

    #[test]
    fn secrets_are_hidden() {
        for (given, shown) in [
            ("-Dpassword=hunter2", "-Dpassword=***"),
            (
                "-Djavax.net.ssl.keyStorePassword=a=b,c d",
                "-Djavax.net.ssl.keyStorePassword=***",
            ),
            ("-Dtoken=abc", "-Dtoken=***"),
            ("-Dpwd=abc", "-Dpwd=***"),
            ("-Dapi.key=abc", "-Dapi.key=***"),
            ("-DAPI_KEY=abc", "-DAPI_KEY=***"),
            ("-Daccess.key=abc", "-Daccess.key=***"),
            ("-DprivateKey=abc", "-DprivateKey=***"),
            ("-Dbearer=abc", "-Dbearer=***"),
            ("-PauthToken=abc", "-PauthToken=***"),
            ("--cookie=abc", "--cookie=***"),
            ("--token=abc", "--token=***"),
            ("--token:abc", "--token:***"),
            ("--API_KEY=abc", "--API_KEY=***"),
            ("DB_PASSWORD=x", "DB_PASSWORD=***"),
            ("--dbpasswd=x", "--dbpasswd=***"),
            (
                "-Dspring.datasource.password=x",
                "-Dspring.datasource.password=***",
            ),
            ("Authorization: Bearer abc", "Authorization:***"),
            ("https://me:hunter2@host/p?q=1", "https://me:***@host/p?q=1"),
            (
                "--url=https://me:hun@ter2@host/p",
                "--url=https://me:***@host/p",
            ),
            (
                "jdbc:mysql://h/db?user=a&password=b&ssl=1",
                "jdbc:mysql://h/db?user=a&password=***&ssl=1",
            ),
            (
                "jdbc:sqlserver://h;user=a;password=b;",
                "jdbc:sqlserver://h;user=a;password=***;",
            ),
            (
                "-javaagent:a.jar=token=abc,port=1",
                "-javaagent:a.jar=token=***,port=1",
            ),
            ("ghp_0123456789abcdefABCD", "***"),
            ("--with=AKIA0123456789ABCDEF", "--with=***"),
        ] {
            assert_eq!(kept(&[given]), [shown], "{given}");
        }
        assert_eq!(
            kept(&[
                "java",
                "-jar",
                "a.jar",
                "--api-key",
                "k",
                "--password",
                "-v",
                "--secret",
                "s",
                "in.txt"
            ]),
            [
                "java",
                "-jar",
                "a.jar",
                "--api-key",
                "***",
                "--password",
                "-v",
                "--secret",
                "***",
                "in.txt"
            ]
        );
    }

    #[test]
    fn what_is_no_secret_is_kept() {
        for word in [
            "--tokens=100",
            "--max-tokens",
            "-Dtokenizer=x",
            "-Dpasses=3",
            "-Dauthor=Ann",
            "--passes=2",
            "-Dsort.key=name",
            "--key",
            "a=b",
            "{token}",
            "token.txt",
            "src/password/Main.java",
            "https://host/a:b@c",
            "C:\\a",
            "-Xmx1g",
            "-cp",
            "a:b",
            "--keyboard=x",
            "compass",
            "--secretary=Ann",
            "--password=",
            "",
        ] {
            assert_eq!(kept(&[word, "next"]), [word, "next"], "{word}");
        }
    }
}
