use model_resource::Model;

#[derive(Model)]
#[model(table = "crm.customers")]
struct Dotted {
    id: i64,
}

#[derive(Model)]
#[model(schema = "main.crm", table = "customers")]
struct OfADatabase {
    id: i64,
}

#[derive(Model)]
#[model(schema = "public", table = "customers")]
struct Public {
    id: i64,
}

#[derive(Model)]
#[model(schema = crm)]
struct Unquoted {
    id: i64,
}

#[derive(Model)]
#[model(schema_name = "crm")]
struct OfAnotherFramework {
    id: i64,
}

fn main() {}
