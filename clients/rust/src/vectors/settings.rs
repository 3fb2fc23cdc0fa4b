use std::{collections::HashMap, env, fs, path::PathBuf, process};

use serde::Deserialize;

use super::{load, options, player};
use crate::{
    Options, PlayError, SettingError,
    api::{RefereeItem, Welcome, referee_item::Item},
    program::exit_status,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    certificate: String,
    vectors: Vec<SettingsVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    environment: HashMap<String, String>,
    #[serde(default)]
    files: HashMap<String, String>,
    settings: Option<Effective>,
    error: Option<String>,
    secret: Option<String>,
    exit: Option<u8>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Effective {
    referee: String,
    tls: bool,
    own_roots: bool,
    token: String,
    version: String,
    max_matches: u32,
    verdicts_with_turns: bool,
}

fn effective(options: Options) -> Result<Effective, SettingError> {
    let target = options.target()?;
    assert_eq!(
        target.authorization.to_str().unwrap(),
        format!("Bearer {}", options.token)
    );
    Ok(Effective {
        referee: options.address,
        tls: target.endpoint.uri().scheme_str() == Some("https"),
        own_roots: options.ca_pem.is_some(),
        token: options.token,
        version: options.version,
        max_matches: options.max_matches,
        verdicts_with_turns: options.verdicts_with_turns,
    })
}

/// A folder that is deleted when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = env::temp_dir().join(format!("referee-client-{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn settings() {
    let file: Settings = load("settings.json");
    let folder = Folder::new();
    for vector in file.vectors {
        let name = &vector.name;
        let mut files = vector.files;
        files.insert("certificate.pem".into(), file.certificate.clone());
        for (name, content) in &files {
            fs::write(folder.path(name), content).unwrap();
        }
        let variable = |name: &str| {
            let mut text = vector
                .environment
                .get(name)?
                .replace("{missing}", &folder.path("missing"));
            for name in files.keys() {
                text = text.replace(&format!("{{{name}}}"), &folder.path(name));
            }
            Some(text)
        };
        match (Options::from_variables(variable).and_then(effective), vector.settings) {
            (Ok(got), Some(expected)) => assert_eq!(got, expected, "{name}"),
            (Err(error), None) => {
                let text = error.to_string();
                assert!(error.variable().contains(&vector.error.unwrap()), "{name}: {text}");
                assert!(text.starts_with(error.variable()), "{name}: {text}");
                if let Some(secret) = vector.secret {
                    assert!(!text.contains(&secret), "{name}: {text}");
                }
                assert_eq!(exit_status(&PlayError::from(error)), vector.exit.unwrap(), "{name}");
            }
            (got, _) => panic!("{name}: {got:?}"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hellos {
    vectors: Vec<HelloVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HelloVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    environment: HashMap<String, String>,
    welcomed: Vec<String>,
    hello: Hello,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hello {
    version: String,
    max_matches: u32,
    verdicts_with_turns: bool,
}

#[test]
fn hello() {
    for vector in load::<Hellos>("hello.json").vectors {
        let mut player = player(options(&vector.environment));
        for version in vector.welcomed {
            let welcome = Welcome {
                version,
                ..Welcome::default()
            };
            let item = Some(Item::Welcome(welcome));
            player.handle(RefereeItem { item }).unwrap();
        }
        let (name, got, expected) = (vector.name, &player.hello, vector.hello);
        assert_eq!(got.version, expected.version, "{name}");
        assert_eq!(got.max_matches, Some(expected.max_matches), "{name}");
        assert_eq!(got.verdicts_with_turns, expected.verdicts_with_turns, "{name}");
        assert_eq!(
            got.client,
            concat!("referee-client-rust/", env!("CARGO_PKG_VERSION")),
            "{name}"
        );
        assert_eq!(got.turn_options.unwrap().max_legal_moves, 5_000, "{name}");
    }
}
