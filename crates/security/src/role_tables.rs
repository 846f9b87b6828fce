//! Roles in tables: one statement reads those of one or several accounts.

use futures_util::future::BoxFuture;
use model_resource::schema::value::{Key, Value};
use model_resource::store::{StoreError, StoreResult};
use model_resource::{ColumnType, Draft, Field, Model, Query, Result, Sql, SqlDialect, Store, Table, Where};

use crate::column_text::text;

/// Tables with the roles of accounts, as functions of the types that are known where they are declared.
#[derive(Clone, Copy)]
pub(crate) struct RoleTables {
    columns: RoleColumns,
    load: fn(RoleColumns, Store, Vec<Value>) -> BoxFuture<'static, StoreResult<AccountRoles>>,
    grant: ChangeRole,
    revoke: ChangeRole,
    /// Tables, each after the tables it references.
    pub(crate) tables: fn() -> Vec<&'static Table>,
}

/// Names of the roles of accounts, each with the key of its account.
type AccountRoles = Vec<(Key, String)>;

/// Function that grants or revokes a role.
type ChangeRole = fn(RoleColumns, Store, Value, String) -> BoxFuture<'static, Result<()>>;

/// Positions of the columns.
#[derive(Clone, Copy)]
struct RoleColumns {
    /// Foreign key to the account, in the join table.
    account: usize,
    /// Foreign key to the role, in the join table. The name itself if there is no other table.
    role: usize,
    /// Name of the role.
    name: usize,
}

impl RoleTables {
    pub(crate) const fn rows<J: Model, K: ColumnType + 'static>(
        account: Field<J, K>,
        name: Field<J, String>,
    ) -> Self {
        Self {
            columns: RoleColumns {
                account: account.position(),
                role: name.position(),
                name: name.position(),
            },
            load: |columns, store, keys| Box::pin(load_rows::<J, K>(columns, store, keys)),
            grant: |columns, store, key, role| Box::pin(grant_row::<J, K>(columns, store, key, role)),
            revoke: |columns, store, key, role| Box::pin(revoke_row::<J, K>(columns, store, key, role)),
            tables: || vec![J::table()],
        }
    }

    pub(crate) const fn through<J: Model, K: ColumnType + 'static, L: ColumnType + 'static, R: Model>(
        account: Field<J, K>,
        role: Field<J, L>,
        name: Field<R, String>,
    ) -> Self {
        Self {
            columns: RoleColumns {
                account: account.position(),
                role: role.position(),
                name: name.position(),
            },
            load: |columns, store, keys| Box::pin(load_joined::<J, K, R>(columns, store, keys)),
            grant: |columns, store, key, role| {
                Box::pin(grant_joined::<J, K, L, R>(columns, store, key, role))
            },
            revoke: |columns, store, key, role| {
                Box::pin(revoke_joined::<J, K, L, R>(columns, store, key, role))
            },
            tables: || vec![R::table(), J::table()],
        }
    }

    /// Reads the roles of the accounts with these keys, in the order of their names.
    pub(crate) async fn load(&self, store: &Store, keys: Vec<Value>) -> StoreResult<AccountRoles> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        (self.load)(self.columns, store.clone(), keys).await
    }

    /// Grants a role, unless the account has it.
    pub(crate) async fn grant(&self, store: &Store, key: &Value, role: &str) -> Result<()> {
        (self.grant)(self.columns, store.clone(), key.clone(), role.to_owned()).await
    }

    /// Revokes a role, if the account has it.
    pub(crate) async fn revoke(&self, store: &Store, key: &Value, role: &str) -> Result<()> {
        (self.revoke)(self.columns, store.clone(), key.clone(), role.to_owned()).await
    }
}

/// Rows of the account.
fn of_account<J: Model, K: ColumnType + 'static>(columns: RoleColumns, key: Value) -> Where<J> {
    Field::<J, K>::at(columns.account).eq_value(key)
}

async fn load_rows<J: Model, K: ColumnType + 'static>(
    columns: RoleColumns,
    store: Store,
    keys: Vec<Value>,
) -> StoreResult<AccountRoles> {
    // Authentication does not wait for searches.
    let of_accounts = Field::<J, K>::at(columns.account).one_of(typed::<K>(&keys)?);
    let rows: Vec<J> = store.all_short(&Query::new().filter(of_accounts)).await?;
    let name = Field::at(columns.name);
    let role = |row: &J| {
        let key = row.value(columns.account).to_value();
        (Key(key), text(row, name).to_owned())
    };
    let mut roles: AccountRoles = rows.iter().map(role).collect();
    roles.sort_by(|(_, one), (_, other)| one.cmp(other));
    Ok(roles)
}

/// Keys of accounts with the type of the foreign key.
fn typed<K: ColumnType>(keys: &[Value]) -> StoreResult<Vec<K>> {
    let typed = keys.iter().map(|key| K::from_value(key.borrow()));
    let typed: std::result::Result<_, _> = typed.collect();
    typed.map_err(|mismatch| StoreError::Failed(format!("a key of an account: {mismatch}")))
}

async fn grant_row<J: Model, K: ColumnType + 'static>(
    columns: RoleColumns,
    store: Store,
    key: Value,
    role: String,
) -> Result<()> {
    let name = Field::<J, String>::at(columns.name);
    let own = of_account::<J, K>(columns, key.clone()).and(name.eq(role.clone()));
    if store.first(&Query::new().filter(own)).await?.is_none() {
        let mut draft = Draft::<J>::new();
        draft.set(Field::at(columns.account), K::from_value(key.borrow())?);
        draft.set(name, role);
        store.create(draft).await?;
    }
    Ok(())
}

async fn revoke_row<J: Model, K: ColumnType + 'static>(
    columns: RoleColumns,
    store: Store,
    key: Value,
    role: String,
) -> Result<()> {
    let name = Field::<J, String>::at(columns.name);
    let own = of_account::<J, K>(columns, key).and(name.eq(role));
    store.delete_all(&Query::new().filter(own)).await?;
    Ok(())
}

async fn load_joined<J: Model, K: ColumnType + 'static, R: Model>(
    columns: RoleColumns,
    store: Store,
    mut keys: Vec<Value>,
) -> StoreResult<AccountRoles> {
    // The last key is repeated, so that few statements serve all numbers of keys.
    if let Some(last) = keys.last().cloned() {
        keys.resize(keys.len().next_power_of_two(), last);
    }
    let text = join_sql(store.dialect(), columns, (J::table(), R::table()), keys.len());
    let account = Field::<J, K>::at(columns.account);
    let bind = |sql: Sql, key: K| sql.bind_field(account, key);
    let sql = typed::<K>(&keys)?.into_iter().fold(Sql::new(text), bind);
    // Authentication does not wait for searches.
    let rows = store.fetch_short(sql).await?;
    let roles = rows.iter().map(|row| {
        let key = row.field_as(account, "account")?.to_value().to_value();
        Ok((Key(key), row.get("role")?))
    });
    roles.collect()
}

/// Statement that reads the names of the roles of this number of accounts.
fn join_sql(
    dialect: SqlDialect,
    columns: RoleColumns,
    (join, roles): (&Table, &Table),
    accounts: usize,
) -> String {
    let own = |table: &Table, column: usize| quoted(table.columns[column].database_name);
    let parameters: Vec<String> = (1..=accounts).map(|number| format!("${number}")).collect();
    format!(
        "SELECT j.{account} AS account, r.{name} AS role FROM {join_table} AS j \
         JOIN {role_table} AS r ON r.{key} = j.{role} WHERE j.{account} IN ({parameters}) ORDER BY r.{name}",
        name = own(roles, columns.name),
        join_table = dialect.table_name(join),
        role_table = dialect.table_name(roles),
        key = own(roles, roles.primary_key),
        role = own(join, columns.role),
        account = own(join, columns.account),
        parameters = parameters.join(", "),
    )
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Role with this name.
async fn find_role<R: Model>(columns: RoleColumns, store: &Store, role: &str) -> Result<Option<R>> {
    let named = Field::<R, String>::at(columns.name).eq(role.to_owned());
    Ok(store.first(&Query::new().filter(named)).await?)
}

/// Rows of the join table that assign the role to the account.
fn assigned<J: Model, K: ColumnType + 'static, L: ColumnType + 'static, R: Model>(
    columns: RoleColumns,
    key: Value,
    role: &R,
) -> Query<J> {
    let role = Field::<J, L>::at(columns.role).eq_value(role.value(R::table().primary_key).to_value());
    Query::new().filter(of_account::<J, K>(columns, key).and(role))
}

async fn grant_joined<J: Model, K: ColumnType + 'static, L: ColumnType + 'static, R: Model>(
    columns: RoleColumns,
    store: Store,
    key: Value,
    role: String,
) -> Result<()> {
    let role = match find_role::<R>(columns, &store, &role).await? {
        Some(role) => role,
        None => {
            let mut draft = Draft::<R>::new();
            draft.set(Field::at(columns.name), role);
            store.create(draft).await?
        }
    };
    let assigned = assigned::<J, K, L, R>(columns, key.clone(), &role);
    if store.first(&assigned).await?.is_none() {
        let mut draft = Draft::<J>::new();
        draft.set(Field::at(columns.account), K::from_value(key.borrow())?);
        let role = L::from_value(role.value(R::table().primary_key))?;
        draft.set(Field::at(columns.role), role);
        store.create(draft).await?;
    }
    Ok(())
}

async fn revoke_joined<J: Model, K: ColumnType + 'static, L: ColumnType + 'static, R: Model>(
    columns: RoleColumns,
    store: Store,
    key: Value,
    role: String,
) -> Result<()> {
    if let Some(role) = find_role::<R>(columns, &store, &role).await? {
        store
            .delete_all(&assigned::<J, K, L, R>(columns, key, &role))
            .await?;
    }
    Ok(())
}
