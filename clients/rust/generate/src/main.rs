//! Makes the stubs of the client from the contract: `cargo run [-- FOLDER]`, default the client's own `src/stubs`.
//! protox reads the contract in Rust, so that no protoc is needed. `contract.sha256` says what they were made from.
//!
//! What only organisers need is in a file of its own, which builds of bots leave out.

use std::{collections::BTreeSet, error::Error, fs, path::Path};

use protox::prost_reflect::prost_types::FileDescriptorSet;
use sha2::{Digest, Sha256};
use tonic_prost_build::Builder;

const PACKAGE: &str = "referee_api.v1";
const BOT_STUBS: &str = "referee_api.v1.rs";
const ORGANISER_STUBS: &str = "organiser.rs";
const ORGANISER_SERVICES: [&str; 8] = ["admin", "bot", "game", "invitation", "match", "ladder", "token", "tournament"];

fn main() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let contract = here.join("../../../proto");
    let folder = std::env::args().nth(1).map_or(here.join("../src/stubs"), Into::into);
    let bots = protox::compile(["referee_api/v1/play_service.proto"], [&contract])?;
    let services = ORGANISER_SERVICES.map(|name| format!("referee_api/v1/{name}_service.proto"));
    let organisers = protox::compile(services, [&contract])?;

    let mut sums = String::new();
    let mut read = BTreeSet::new();
    for file in bots.file.iter().chain(&organisers.file) {
        if file.package() == PACKAGE && read.insert(file.name().to_owned()) {
            sums += &sum(file.name(), &contract)?;
        }
    }
    // Both are written to a file with the name of the package.
    share(stubs(&folder), &bots).compile_fds(organisers)?;
    fs::rename(folder.join(BOT_STUBS), folder.join(ORGANISER_STUBS))?;
    stubs(&folder).compile_fds(bots)?;
    for name in [BOT_STUBS, ORGANISER_STUBS] {
        sums += &sum(name, &folder)?;
    }
    fs::write(folder.join("contract.sha256"), sums)?;
    Ok(())
}

fn stubs(folder: &Path) -> Builder {
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .out_dir(folder)
}

/// Lets stubs use the types that those of bots have already.
fn share(stubs: Builder, bots: &FileDescriptorSet) -> Builder {
    let files = bots.file.iter().filter(|file| file.package() == PACKAGE);
    let messages = files
        .clone()
        .flat_map(|file| file.message_type.iter().map(|message| message.name()));
    let enums = files.flat_map(|file| file.enum_type.iter().map(|kind| kind.name()));
    messages.chain(enums).fold(stubs, |stubs, name| {
        stubs.extern_path(format!(".{PACKAGE}.{name}"), format!("crate::api::{name}"))
    })
}

/// Returns a line in the format of `sha256sum`.
fn sum(name: &str, folder: &Path) -> Result<String, Box<dyn Error>> {
    let digest = Sha256::digest(fs::read(folder.join(name))?);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{hex}  {name}\n"))
}
