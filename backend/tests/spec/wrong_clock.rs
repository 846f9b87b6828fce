//! Wrong clocks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;
use test_support::{Process, RawConnection, TestDatabase};

use crate::serve;

/// DB-5: with a clock before 1970, rows with UUID keys are created, read and listed.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn rows_are_created_with_a_clock_before_1970() {
    let folder = TempDir::new().unwrap();
    let (library, is_wrong) = (wrong_clock(&folder), folder.path().join("is_wrong"));
    let database = TestDatabase::create();
    let process = Process::start(serve::command(&database.url()).envs([
        ("LD_PRELOAD", library.as_path()),
        ("WRONG_CLOCK", &is_wrong),
        // Each of hyper's threads needs one reading of a clock after 1970.
        ("TOKIO_WORKER_THREADS", Path::new("1")),
    ]));
    process.client.get("/healthz").await.expect(200);
    fs::write(&is_wrong, "").unwrap();
    let sample = json!({"flag": true, "small": 1, "number": 1, "big": 1, "single": 1.0, "ratio": 1.0, "text": "a",
        "blob": "AA==", "amount": "1.0000", "day": "2024-01-01", "clock": "12:00:00", "moment": "2024-01-01T00:00:00Z",
        "token": "0191d5f0-c0de-7000-8000-00000000abcd", "extra": {}, "color": "red"});
    for _ in 0..2 {
        let created = process
            .client
            .post("/api/v1/samples", sample.clone())
            .await
            .expect(201);
        let url = created.header("location").to_owned();
        process.client.get(&url).await.expect(200);
    }
    let samples = process.client.get("/api/v1/samples").await.expect(200).json();
    assert_eq!(samples.as_array().unwrap().len(), 2);
    let tag = serve::admin(&process, &database.url())
        .await
        .post("/api/v1/categories", json!({"name": "Old"}))
        .await
        .expect(201)
        .json();
    assert!(
        tag["createdAt"].as_str().is_none_or(|at| at.starts_with("19")),
        "{tag}"
    );
}

/// DB-5: a server started with a clock before 1970 cannot serve connections, and logs the reason.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_is_started_before_1970_logs_the_remedy() {
    let folder = TempDir::new().unwrap();
    let (library, is_wrong) = (wrong_clock(&folder), folder.path().join("is_wrong"));
    fs::write(&is_wrong, "").unwrap();
    let variables = [("LD_PRELOAD", library.as_path()), ("WRONG_CLOCK", &is_wrong)];
    let database = TestDatabase::create();
    let mut process = Process::start(serve::command(&database.url()).envs(variables));
    let mut raw = RawConnection::connect(process.address).await;
    raw.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(raw.read_to_end().await, "");
    process.signal("TERM");
    let (_, log) = process.wait();
    assert!(log.contains("the clock is before 1970"), "{log}");
}

/// Compiles a library that sets a program's clock back by 100 years as soon as a file exists.
#[cfg(target_os = "linux")]
fn wrong_clock(folder: &TempDir) -> PathBuf {
    let source = folder.path().join("clock.c");
    let library = folder.path().join("clock.so");
    let code = "#define _GNU_SOURCE\n#include <stdlib.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n\
        int clock_gettime(clockid_t id, struct timespec *now) {\n\
            int result = syscall(SYS_clock_gettime, id, now);\n\
            const char *file = getenv(\"WRONG_CLOCK\");\n\
            if (id == CLOCK_REALTIME && file && access(file, F_OK) == 0) now->tv_sec -= 3153600000L;\n\
            return result;\n\
        }\n";
    fs::write(&source, code).unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status();
    assert!(compiled.unwrap().success());
    library
}
