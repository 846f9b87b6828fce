//! A custom operation replaces the automatic one of the same name, and takes its inputs as arguments. The other
//! operations stay automatic.
//!
//! ```text
//! cargo run -p model-resource --example custom_operation
//!
//! curl localhost:8000/tasks --json '{"title": "  Water the plants "}'
//! # 201 {"id":1,"title":"Water the plants","done":false}
//! curl localhost:8000/tasks --json '{"title": "   ", "done": "no"}'
//! # 400 {"errors":{"done":["Not a valid boolean."],"title":["Title is required."]}}
//! curl localhost:8000/tasks/1 -X DELETE
//! # 409 {"message":"\"Water the plants\" is not done yet."}
//! curl localhost:8000/tasks
//! # 200 [{"id":1,"title":"Water the plants","done":false}]
//! curl localhost:8000/tasks/1 -X PATCH --json '{"done": true}'
//! # 200 {"id":1,"title":"Water the plants","done":true}
//! curl localhost:8000/tasks
//! # 200 []
//! curl 'localhost:8000/tasks?done=true'
//! # 200 [{"id":1,"title":"Water the plants","done":true}]
//! curl localhost:8000/tasks/1 -X DELETE
//! # 204
//! curl 'localhost:8000/tasks?done=true'
//! # 200 []
//! ```

use model_resource::{
    Api, Context, Draft, Error, Errors, Model, ModelResource, ModelSerializer, Reply, Result, Store,
    model_resource, serializer, serve,
};

/// Task on a to-do list.
#[derive(Model)]
struct Task {
    #[column(primary_key)]
    id: i64,
    #[column(max_length = 200)]
    title: String,
    #[column(default = false)]
    done: bool,
}

struct TaskSerializer;

#[serializer]
impl ModelSerializer for TaskSerializer {
    type Model = Task;
}

struct TaskResource;

#[model_resource(Task, "/tasks", "/tasks/<int:id>")]
impl ModelResource for TaskResource {
    /// Query parameters of `list`. A custom list has no filters, sort order or pages.
    const QUERY_PARAMETERS: &'static [&'static str] = &["done"];

    /// Lists the open tasks, or the finished ones.
    async fn list(cx: Context) -> Result<Vec<Task>> {
        let done = cx.query("done").is_some_and(|text| text == "true");
        let tasks = Task::query().filter(Task::DONE.eq(done));
        Ok(cx.store_unchecked().all(&tasks).await?)
    }

    /// Trims the title, and adds to the errors of the serializer.
    async fn create(cx: Context, mut task: Draft<Task>, mut errors: Errors) -> Result<Reply> {
        if let Some(title) = task.get(Task::TITLE) {
            let title = title.trim();
            if title.is_empty() {
                errors.add("title", "Title is required.");
            }
            task.set(Task::TITLE, title.to_owned());
        }
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.created(task).await
    }

    /// Deletes a task that is done.
    async fn delete(cx: Context, task: Task) -> Result<Reply> {
        if !task.done {
            return Err(Error::conflict(format!("{:?} is not done yet.", task.title)));
        }
        cx.deleted(task).await
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let api = Api::new("tasks")
        .serializer::<TaskSerializer>()
        .model_resource::<TaskResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
