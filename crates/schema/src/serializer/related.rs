//! Declaration of relations.

use crate::column::Table;
use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::query::OrderBy;
use crate::serializer::declaration::DeclaredRelation;
use crate::serializer::model_serializer::{ModelSerializer, declaration_of};
use crate::serializer::relation_columns::{JoinColumns, RelatedOrder, RelationColumns, RelationKind};
use crate::serializer::serializer_fields::SerializerFields;

/// Relations. The serializer `S` of the related model writes their objects. They are output only, unless they are
/// [`writable`](SerializerFields::writable).
impl<M: Model> SerializerFields<M> {
    /// Embeds the object that a foreign key references, as serializer `S` writes it. Short for
    /// [`belongs_to`](Self::belongs_to) followed by [`always`](Self::always).
    ///
    /// If `S` has an envelope, the nested object is wrapped too. Serializers that nest each other in a cycle are
    /// rejected at startup.
    pub fn embed<S: ModelSerializer>(mut self, name: &'static str, key: Field<M, impl ColumnType>) -> Self {
        self.added.nested.push(to_one::<S>(name, key.position()));
        self
    }

    /// Declares a relation to the object that a foreign key references, as serializer `S` writes it. It is written
    /// only on request, `?expand=author`. Clients may filter and sort by its fields, `?author.name=..`.
    pub fn belongs_to<S: ModelSerializer>(
        mut self,
        name: &'static str,
        key: Field<M, impl ColumnType>,
    ) -> Self {
        self.added.expandable.push(to_one::<S>(name, key.position()));
        self
    }

    /// Declares a relation to the one object whose unique foreign key references this one, as serializer `S` writes
    /// it. It is written only on request, `?expand=profile`, and is `null` if there is none. Clients may filter and
    /// sort by its fields.
    pub fn has_one<S: ModelSerializer>(
        self,
        name: &'static str,
        key: Field<S::Model, impl ColumnType>,
    ) -> Self {
        self.expandable::<S>(name, key.position(), RelationKind::HasOne)
    }

    /// Declares a relation to all objects whose foreign key references this one, as serializer `S` writes them. They
    /// are written only on request, `?expand=comments`. Clients may filter by their fields, `?comments.body=..`
    /// matches if one of them does, and sort by their number, `?sort=-comments.count`.
    pub fn has_many<S: ModelSerializer>(
        self,
        name: &'static str,
        key: Field<S::Model, impl ColumnType>,
    ) -> Self {
        self.expandable::<S>(name, key.position(), RelationKind::HasMany)
    }

    /// Declares a relation to all objects that the rows of a join model relate to this one, as serializer `S` writes
    /// them. `from` is the foreign key of the join model to this one and `to` the one to the related model; both may
    /// reference the same model. The objects are written only on request, `?expand=tags`.
    ///
    /// The policies of both models apply: an object is related if the caller sees it and a join row that leads to it.
    /// Several join rows of the same two objects relate them once.
    ///
    /// ```
    /// use model_resource_schema::model::{Field, Model};
    /// use model_resource_schema::serializer::{ModelSerializer, SerializerFields};
    ///
    /// # fn fields<Article: Model, ArticleTag: Model, Tag: Model, TagSerializer: ModelSerializer<Model = Tag>>(
    /// #     fields: SerializerFields<Article>,
    /// #     article_id: Field<ArticleTag, i64>,
    /// #     tag_id: Field<ArticleTag, i64>,
    /// #     name: Field<Tag, String>,
    /// # ) -> SerializerFields<Article> {
    /// fields
    ///     .many_to_many::<TagSerializer>("tags", article_id, tag_id)
    ///     // Writes `"tags": ["rust", "sql"]` into every object.
    ///     .as_member("tags", name)
    ///     .always("tags")
    /// # }
    /// ```
    pub fn many_to_many<S: ModelSerializer>(
        mut self,
        name: &'static str,
        from: Field<impl Model, impl ColumnType>,
        to: Field<impl Model, impl ColumnType>,
    ) -> Self {
        let join = JoinColumns {
            table: from.table(),
            from: from.position(),
            to: to.position(),
        };
        if from.table().id() != to.table().id() {
            self.added.mistakes.push(format!(
                "relation `{name}`: both columns must belong to one join model, not to {} and {}",
                from.table().model,
                to.table().model
            ));
        }
        let related = S::Model::table().primary_key;
        self.expandable::<S>(name, related, RelationKind::ManyToMany(join))
    }

    fn expandable<S: ModelSerializer>(mut self, name: &'static str, to: usize, kind: RelationKind) -> Self {
        self.added.expandable.push(DeclaredRelation {
            name,
            link: RelationColumns::new(M::table().primary_key, to, kind),
            declaration: declaration_of::<S>,
            table: S::Model::table,
        });
        self
    }
}

/// Forms of a relation that was declared before.
impl<M: Model> SerializerFields<M> {
    /// Writes a relation into every object, and not only on request.
    pub fn always(mut self, relation: &'static str) -> Self {
        let added = &mut self.added;
        let mut expandable = added.expandable.iter();
        match expandable.position(|declared| declared.name == relation) {
            Some(position) => added.nested.push(added.expandable.remove(position)),
            None if added.nested.iter().any(|declared| declared.name == relation) => {}
            None => added.mistakes.push(undeclared("always", relation, M::table())),
        }
        self
    }

    /// Writes the primary keys of a relation's objects: `"tags": [1, 2]`. Of a relation to one object, it is the key
    /// or `null`.
    pub fn as_keys(self, relation: &'static str) -> Self {
        self.change("as_keys", relation, |link, table| {
            link.member = Some(table.primary_key);
            Ok(())
        })
    }

    /// Writes one member of each of a relation's objects: `"tags": ["rust", "sql"]`. Of a relation to one object, it
    /// is the member or `null`.
    ///
    /// A caller who does not see the column does not see the relation. Where the column is private, `null` is written.
    pub fn as_member<R: Model>(self, relation: &'static str, member: Field<R, impl ColumnType>) -> Self {
        self.change("as_member", relation, |link, table| {
            check_model::<R>("as_member", relation, table)?;
            link.member = Some(member.position());
            Ok(())
        })
    }

    /// Writes a relation's objects in this order; by default, it is that of their primary keys, which also decides
    /// between equal values. For a caller who does not see the column on all rows, the default applies.
    pub fn ordered<R: Model>(self, relation: &'static str, order: OrderBy<R>) -> Self {
        let key = order.into_any();
        self.change("ordered", relation, |link, table| {
            check_model::<R>("ordered", relation, table)?;
            if !link.is_many() {
                return Err(format!(
                    "serializer of {}: `.ordered(\"{relation}\", ..)` needs a relation to many objects",
                    M::table().model
                ));
            }
            link.order = Some(RelatedOrder {
                column: key.path.position(),
                descending: key.descending,
                nulls: key.nulls,
            });
            Ok(())
        })
    }

    /// Changes the relation of this name.
    fn change(
        mut self,
        method: &str,
        relation: &str,
        change: impl FnOnce(&mut RelationColumns, &'static Table) -> Result<(), String>,
    ) -> Self {
        let added = &mut self.added;
        let mut declared = added.expandable.iter_mut().chain(&mut added.nested);
        let changed = match declared.find(|declared| declared.name == relation) {
            Some(declared) => change(&mut declared.link, (declared.table)()),
            None => Err(undeclared(method, relation, M::table())),
        };
        added.mistakes.extend(changed.err());
        self
    }
}

fn undeclared(method: &str, relation: &str, table: &Table) -> String {
    format!(
        "serializer of {}: `.{method}(\"{relation}\")` names no relation that was declared before it",
        table.model
    )
}

/// Checks that a column belongs to the related model.
fn check_model<R: Model>(method: &str, relation: &str, table: &'static Table) -> Result<(), String> {
    if R::table().id() == table.id() {
        return Ok(());
    }
    Err(format!(
        "relation `{relation}`: `.{method}(..)` needs a column of {}, not of {}",
        table.model,
        R::table().model
    ))
}

/// Creates a relation by a foreign key of this table to the primary key of the other.
fn to_one<S: ModelSerializer>(name: &'static str, key: usize) -> DeclaredRelation {
    let related = S::Model::table().primary_key;
    DeclaredRelation {
        name,
        link: RelationColumns::new(key, related, RelationKind::BelongsTo),
        declaration: declaration_of::<S>,
        table: S::Model::table,
    }
}
