use std::{env, fs, path::PathBuf, process};

use serde_json::{Value, json};

use super::{list, load, text, texts};
use crate::{Options, PlayError, SettingError, program::exit_status};

/// Returns the effective settings, as the vectors write them.
fn effective(options: Options) -> Result<Value, SettingError> {
    let target = options.target()?;
    assert_eq!(
        target.authorization.to_str().unwrap(),
        format!("Bearer {}", options.token)
    );
    Ok(json!({
        "referee": options.address,
        "tls": target.endpoint.uri().scheme_str() == Some("https"),
        "own_roots": options.ca_pem.is_some(),
        "token": options.token,
        "version": options.version,
        "max_matches": options.max_matches,
        "verdicts_with_turns": options.verdicts_with_turns,
    }))
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
    let file = load("settings.json");
    let folder = Folder::new();
    for vector in list(&file["vectors"]) {
        let name = &vector["name"];
        let mut files = texts(&vector["files"]);
        files.insert("certificate.pem".into(), text(&file["certificate"]));
        for (name, content) in &files {
            fs::write(folder.path(name), content).unwrap();
        }
        let environment = texts(&vector["environment"]);
        let variable = |name: &str| {
            let mut text = environment.get(name)?.replace("{missing}", &folder.path("missing"));
            for name in files.keys() {
                text = text.replace(&format!("{{{name}}}"), &folder.path(name));
            }
            Some(text)
        };
        match Options::from_variables(variable).and_then(effective) {
            Ok(got) => assert_eq!(got, vector["settings"], "{name}"),
            Err(error) => {
                let shown = error.to_string();
                assert!(
                    error.variable().contains(vector["error"].as_str().unwrap()),
                    "{name}: {shown}"
                );
                assert!(shown.starts_with(error.variable()), "{name}: {shown}");
                if let Some(secret) = vector["secret"].as_str() {
                    assert!(!shown.contains(secret), "{name}: {shown}");
                }
                assert_eq!(exit_status(&PlayError::from(error)), vector["exit"], "{name}");
            }
        }
    }
}
