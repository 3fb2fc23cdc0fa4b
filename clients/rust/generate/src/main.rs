//! Makes the stubs of the client from the contract: `cargo run [-- FOLDER]`, default the client's own `src/stubs`.
//! protox reads the contract in Rust, so that no protoc is needed. `contract.sha256` says what they were made from.

use std::{error::Error, fs, path::Path};

use sha2::{Digest, Sha256};

const STUBS: &str = "referee_api.v1.rs";

fn main() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let contract = here.join("../../../proto");
    let folder = std::env::args().nth(1).map_or(here.join("../src/stubs"), Into::into);
    let files = protox::compile(["referee_api/v1/play_service.proto"], [&contract])?;
    let mut sums = String::new();
    for file in files.file.iter().filter(|file| file.package() == "referee_api.v1") {
        sums += &sum(file.name(), &contract)?;
    }
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .out_dir(&folder)
        .compile_fds(files)?;
    sums += &sum(STUBS, &folder)?;
    fs::write(folder.join("contract.sha256"), sums)?;
    Ok(())
}

/// Returns a line in the format of `sha256sum`.
fn sum(name: &str, folder: &Path) -> Result<String, Box<dyn Error>> {
    let digest = Sha256::digest(fs::read(folder.join(name))?);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{hex}  {name}\n"))
}
