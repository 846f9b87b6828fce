//! Several writes in one transaction: an order is saved and taken from the stock together. The transaction is rolled
//! back if it is dropped before its commit.
//!
//! ```text
//! cargo run -p model-resource --example transaction
//!
//! curl localhost:8000/products --json '{"name": "Teapot", "stock": 3}'
//! # 201 {"id":1,"name":"Teapot","stock":3}
//! curl localhost:8000/orders --json '{"productId": 1, "quantity": 2}'
//! # 201 {"id":1,"productId":1,"quantity":2}
//! curl localhost:8000/orders --json '{"productId": 1, "quantity": 2}'
//! # 400 {"errors":{"quantity":["Only 1 left."]}}
//! curl localhost:8000/orders --json '{"productId": 7, "quantity": 0}'
//! # 400 {"errors":{"quantity":["Must be at least 1."]}}
//! curl localhost:8000/orders --json '{"productId": 7, "quantity": 1}'
//! # 400 {"errors":{"productId":["Product Id does not exist."]}}
//! curl localhost:8000/orders
//! # 200 [{"id":1,"productId":1,"quantity":2}]
//! curl localhost:8000/products/1
//! # 200 {"id":1,"name":"Teapot","stock":1}
//! ```

use model_resource::{
    Api, CREATE, Context, Draft, Error, GET, LIST, Model, ModelResource, ModelSerializer, Operations, Reply,
    Result, Store, model_resource, serializer, serve,
};

/// Product for sale.
#[derive(Model)]
struct Product {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(min = 0)]
    stock: i32,
}

/// Order of a product.
#[derive(Model)]
struct Order {
    #[column(primary_key)]
    id: i64,
    #[column(references = Product)]
    product_id: i64,
    #[column(min = 1)]
    quantity: i32,
}

struct ProductSerializer;

#[serializer]
impl ModelSerializer for ProductSerializer {
    type Model = Product;
}

struct OrderSerializer;

#[serializer]
impl ModelSerializer for OrderSerializer {
    type Model = Order;
}

#[model_resource(Product, "/products", "/products/<int:id>")]
struct ProductResource;

struct OrderResource;

#[model_resource(Order, "/orders", "/orders/<int:id>")]
impl ModelResource for OrderResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, GET, LIST]);

    async fn create(mut cx: Context, order: Draft<Order>) -> Result<Reply> {
        cx.begin().await?;
        let product = cx
            .store_unchecked()
            .get::<Product>(order.get(Order::PRODUCT_ID))
            .await?;
        let product = product.ok_or_else(|| Error::field("productId", "Product Id does not exist."))?;
        let quantity = order.get(Order::QUANTITY).unwrap_or(1);
        if product.stock < quantity {
            return Err(Error::field("quantity", format!("Only {} left.", product.stock)));
        }
        let mut change = Draft::of(&product);
        change.set(Product::STOCK, product.stock - quantity);
        cx.store_unchecked().save(change).await?;
        let reply = cx.created(order).await?;
        cx.commit().await?;
        Ok(reply)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let api = Api::new("shop")
        .serializer::<ProductSerializer>()
        .model_resource::<ProductResource>()
        .serializer::<OrderSerializer>()
        .model_resource::<OrderResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
