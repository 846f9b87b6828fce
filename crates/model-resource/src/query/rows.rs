//! The rows that a request asks for, and reading a page of them.

use std::ops::ControlFlow;
use std::sync::Arc;

use model_resource_schema::model::{Model, Row};
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::serializer::Shape;
use model_resource_store::{Instances, List, Sink, Start, Store};

use crate::error::Result;
use crate::query::page::{Count, Page, PageSeen};

/// The rows that a request asks for, and how they look.
pub(crate) struct Rows {
    pub(crate) list: List,
    pub(crate) shape: Arc<Shape>,
    /// The page of them; all of them if there is none.
    pub(crate) page: Option<Box<Page>>,
}

/// Gives the rows of a page to another sink, and looks whether there is one more.
struct Paged<S> {
    inner: S,
    list: List,
    size: u64,
    is_backwards: bool,
    seen: PageSeen,
}

impl Rows {
    /// Reads the rows, or the page of them, as instances of their model.
    pub(crate) async fn read_instances<M: Model>(&self, store: &Store) -> Result<(Vec<M>, Option<PageSeen>)> {
        let Some(page) = &self.page else {
            return Ok((store.all_of(&self.list).await?, None));
        };
        let relations = Arc::new([]);
        let (instances, seen) = self
            .read_page(page, store, relations, Instances::default())
            .await?;
        Ok((instances.found()?, Some(seen)))
    }

    /// The list that is to be read, which is that of the page if there is one.
    pub(crate) fn list_to_read(&self) -> List {
        match &self.page {
            Some(page) => page.list(&self.list),
            None => self.list.clone(),
        }
    }

    /// Reads the page into the sink, which must take all of it.
    pub(crate) async fn read_page<S: Sink>(
        &self,
        page: &Page,
        store: &Store,
        relations: Arc<[Relation]>,
        inner: S,
    ) -> Result<(S, PageSeen)> {
        let total = match page.count() {
            Count::None => None,
            Count::Exact => Some(store.count(self.list.select()).await?),
            Count::Estimated => Some(store.estimate(self.list.select()).await?),
        };
        let list = page.list(&self.list);
        let is_backwards = matches!(list.start(), Start::Before(_));
        let sink = Paged {
            inner,
            list: self.list.clone(),
            size: page.size(),
            is_backwards,
            seen: PageSeen {
                total,
                ..PageSeen::default()
            },
        };
        let Paged { inner, mut seen, .. } = store.scan(&list, relations, sink).await?.sink;
        if let (true, Some(first)) = (is_backwards, &seen.first) {
            let before = self
                .list
                .clone()
                .starting(Start::Before(Some(first.clone())))
                .at_most(1);
            let found = store.scan(&before, Arc::new([]), Any(false)).await?;
            seen.before = found.sink.0;
        }
        Ok((inner, seen))
    }
}

impl<S: Sink> Sink for Paged<S> {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        if self.seen.rows == self.size {
            self.seen.more = true;
            return ControlFlow::Break(());
        }
        self.seen.rows += 1;
        if self.seen.rows == 1 {
            self.seen.first = Some(self.list.position(row));
        }
        // Forwards, a page that is not full is followed by none.
        if self.is_backwards || self.seen.rows == self.size {
            self.seen.last = Some(self.list.position(row));
        }
        self.inner.row(row, related)
    }
}

/// Whether there is a row.
struct Any(bool);

impl Sink for Any {
    fn row(&mut self, _: &dyn Row, _: &Related) -> ControlFlow<()> {
        self.0 = true;
        ControlFlow::Break(())
    }
}
