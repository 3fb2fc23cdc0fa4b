//! Makes the stubs from the contract. protox reads it in Rust, so that no protoc is needed.

use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let contract = Path::new("../../proto");
    println!("cargo:rerun-if-changed={}", contract.display());
    let files = protox::compile(["referee_api/v1/play_service.proto"], [contract])?;
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .compile_fds(files)?;
    Ok(())
}
