//! Batches of a source whose reads wait for the test.

use std::future::poll_fn;
use std::task::Poll;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::*;

/// A source whose reads wait until the test lets them go on.
#[derive(Default)]
struct Source {
    batches: Mutex<Vec<Vec<Number>>>,
    gate: Notify,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Is(u32),
    Unavailable,
    Broken,
    Panics,
}

struct Read(Arc<Source>, Number);

impl BatchedRead for Read {
    type Found = u32;

    fn fits(&self, first: &Self) -> bool {
        Arc::ptr_eq(&self.0, &first.0)
    }

    async fn run_all(batch: Vec<Self>) -> StoreResult<Vec<u32>> {
        let source = Arc::clone(&batch[0].0);
        let numbers: Vec<Number> = batch.iter().map(|read| read.1).collect();
        source.batches.lock().unwrap().push(numbers.clone());
        source.gate.notified().await;
        let found = numbers.into_iter().map(|number| match number {
            Number::Is(number) => Ok(number),
            Number::Unavailable => Err(StoreError::Unavailable("down".to_owned())),
            Number::Broken => Err(StoreError::Failed("broken".to_owned())),
            Number::Panics => panic!("cannot be read"),
        });
        found.collect()
    }
}

#[derive(Clone, Default)]
struct Reader {
    source: Arc<Source>,
    reads: ReadBatches<Read, u32>,
}

impl Reader {
    /// Begins a read, and returns when it waits.
    async fn begin(&self, number: Number) -> JoinHandle<StoreResult<u32>> {
        let reader = self.clone();
        let read = tokio::spawn(async move {
            let read = || Read(Arc::clone(&reader.source), number);
            reader.reads.run(read).await
        });
        settle().await;
        read
    }

    /// Lets the reads that are running go on.
    async fn go_on(&self) {
        self.source.gate.notify_waiters();
        settle().await;
    }

    fn batches(&self) -> Vec<Vec<Number>> {
        self.source.batches.lock().unwrap().clone()
    }

    fn is_idle(&self) -> bool {
        let queue = self.reads.queue();
        queue.running == 0 && queue.waiting.is_empty()
    }
}

/// Lets all other tasks run as far as they can.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn reads_that_arrive_during_a_batch_share_the_next_one() {
    let reader = Reader::default();
    let first = reader.begin(Number::Is(1)).await;
    let (second, third) = (
        reader.begin(Number::Is(2)).await,
        reader.begin(Number::Is(3)).await,
    );
    assert_eq!(reader.batches(), [vec![Number::Is(1)]]);
    reader.go_on().await;
    assert_eq!(first.await.unwrap(), Ok(1));
    let late = reader.begin(Number::Is(2)).await;
    assert_eq!(reader.batches()[1..], [vec![Number::Is(2), Number::Is(3)]]);
    reader.go_on().await;
    assert_eq!(second.await.unwrap(), Ok(2));
    assert_eq!(third.await.unwrap(), Ok(3));
    // It arrived after the second batch began.
    assert!(!late.is_finished());
    reader.go_on().await;
    assert_eq!(late.await.unwrap(), Ok(2));
    assert!(reader.is_idle());
}

#[tokio::test(start_paused = true)]
async fn reads_for_a_whole_batch_do_not_wait_for_the_one_that_is_running() {
    let reader = Reader::default();
    let mut reads = Vec::new();
    for number in 0..=MAX_READS as u32 + 1 {
        reads.push(reader.begin(Number::Is(number)).await);
    }
    let sizes = || reader.batches().iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(), [1, MAX_READS]);
    for _ in 0..2 {
        reader.go_on().await;
    }
    assert_eq!(sizes(), [1, MAX_READS, 1]);
    for (read, number) in reads.into_iter().zip(0..) {
        assert_eq!(read.await.unwrap(), Ok(number));
    }
    assert!(reader.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_not_polled_does_not_stop_the_others() {
    let reader = Reader::default();
    let first = || Read(Arc::clone(&reader.source), Number::Is(1));
    let mut stalled = pin!(reader.reads.run(first));
    let is_waiting = poll_fn(|cx| Poll::Ready(stalled.as_mut().poll(cx).is_pending())).await;
    assert!(is_waiting);
    let second = reader.begin(Number::Is(2)).await;
    while reader.batches().len() < 2 {
        tokio::time::sleep(MAX_TURN / 10).await;
    }
    reader.go_on().await;
    assert_eq!(second.await.unwrap(), Ok(2));
    assert_eq!(stalled.await, Ok(1));
    assert!(reader.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_read_neither_ends_a_batch_nor_is_part_of_one() {
    let reader = Reader::default();
    let first = reader.begin(Number::Is(1)).await;
    let (second, third) = (
        reader.begin(Number::Is(2)).await,
        reader.begin(Number::Is(3)).await,
    );
    second.abort();
    first.abort();
    settle().await;
    assert_eq!(reader.batches()[1..], [vec![Number::Is(3)]]);
    let fourth = reader.begin(Number::Is(4)).await;
    third.abort();
    settle().await;
    assert_eq!(reader.batches().len(), 2, "its batch is still running");
    for _ in 0..2 {
        reader.go_on().await;
    }
    assert_eq!(fourth.await.unwrap(), Ok(4));
    assert!(reader.is_idle());
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_database_concerns_the_whole_batch_and_not_the_next_one() {
    let reader = Reader::default();
    let first = reader.begin(Number::Is(1)).await;
    let second = reader.begin(Number::Is(2)).await;
    let third = reader.begin(Number::Unavailable).await;
    reader.go_on().await;
    let fourth = reader.begin(Number::Is(4)).await;
    for _ in 0..2 {
        reader.go_on().await;
    }
    assert_eq!(first.await.unwrap(), Ok(1));
    for failed in [second, third] {
        let error = failed.await.unwrap().unwrap_err();
        assert_eq!(error, StoreError::Unavailable("down".to_owned()));
    }
    assert_eq!(fourth.await.unwrap(), Ok(4));
    assert!(reader.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_read_that_fails_or_panics_does_not_concern_the_others() {
    for fault in [Number::Broken, Number::Panics] {
        let reader = Reader::default();
        let first = reader.begin(Number::Is(1)).await;
        let (second, faulty) = (reader.begin(Number::Is(2)).await, reader.begin(fault).await);
        for _ in 0..3 {
            reader.go_on().await;
        }
        assert_eq!(first.await.unwrap(), Ok(1));
        assert_eq!(second.await.unwrap(), Ok(2));
        assert_eq!(faulty.await.ok().and_then(Result::ok), None);
        let alone = [vec![Number::Is(2)], vec![fault]];
        assert_eq!(reader.batches()[2..], alone);
        assert!(reader.is_idle());
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_takes_long_delays_the_others_for_a_moment() {
    let reader = Reader::default();
    let moment = MAX_TURN + Duration::from_millis(1);
    let (first, second) = (
        reader.begin(Number::Is(1)).await,
        reader.begin(Number::Is(2)).await,
    );
    assert_eq!(reader.batches(), [vec![Number::Is(1)]]);
    tokio::time::sleep(moment).await;
    assert_eq!(reader.batches()[1..], [vec![Number::Is(2)]]);
    let third = reader.begin(Number::Is(3)).await;
    tokio::time::sleep(moment).await;
    assert_eq!(reader.batches()[2..], [vec![Number::Is(3)]]);
    reader.go_on().await;
    for (read, number) in [first, second, third].into_iter().zip(1..) {
        assert_eq!(read.await.unwrap(), Ok(number));
    }
    assert!(reader.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_read_whose_batch_takes_long_does_not_run_alone() {
    let reader = Reader::default();
    let mut reads = vec![reader.begin(Number::Is(0)).await];
    for number in 1..10 {
        reads.push(reader.begin(Number::Is(number)).await);
    }
    tokio::time::sleep(MAX_TURN + 10 * MAX_WAIT).await;
    let batch: Vec<_> = (1..10).map(Number::Is).collect();
    assert_eq!(reader.batches(), [vec![Number::Is(0)], batch]);
    reader.go_on().await;
    for (read, number) in reads.into_iter().zip(0..) {
        assert_eq!(read.await.unwrap(), Ok(number));
    }
    assert!(reader.is_idle());
}

#[tokio::test(start_paused = true)]
async fn reads_of_another_source_have_a_batch_of_their_own() {
    let reader = Reader::default();
    let first = reader.begin(Number::Is(1)).await;
    let other = Reader {
        source: Arc::default(),
        reads: reader.reads.clone(),
    };
    let (second, third) = (
        other.begin(Number::Is(2)).await,
        reader.begin(Number::Is(3)).await,
    );
    for _ in 0..3 {
        reader.go_on().await;
        other.go_on().await;
    }
    for (read, found) in [(first, 1), (second, 2), (third, 3)] {
        assert_eq!(read.await.unwrap(), Ok(found));
    }
    assert_eq!(other.batches(), [vec![Number::Is(2)]]);
}

#[test]
fn reads_that_wait_when_the_runtime_ends_leave_nothing_behind() {
    let reader = Reader::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        reader.begin(Number::Is(1)).await;
        reader.begin(Number::Is(2)).await;
    });
    drop(runtime);
    assert!(reader.is_idle());
}
