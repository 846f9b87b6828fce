//! Declaration of relations.

use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::serializer::declaration::{DeclaredRelation, RelationColumns};
use crate::serializer::model_serializer::{ModelSerializer, declaration_of};
use crate::serializer::serializer_fields::SerializerFields;

impl<M: Model> SerializerFields<M> {
    /// Embeds the object that a foreign key references, as serializer `S` writes it. It is output only.
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

    /// Declares a relation to all objects whose foreign key references this one, as serializer `S` writes them. They
    /// are written only on request, `?expand=comments`. Clients may filter by their fields: `?comments.body=..`
    /// matches if one of them does.
    pub fn has_many<S: ModelSerializer>(
        mut self,
        name: &'static str,
        key: Field<S::Model, impl ColumnType>,
    ) -> Self {
        self.added.expandable.push(DeclaredRelation {
            name,
            link: RelationColumns {
                from: M::table().primary_key,
                to: key.position(),
                is_many: true,
                description: "",
            },
            declaration: declaration_of::<S>,
        });
        self
    }
}

/// Creates a relation by a foreign key of this table to the primary key of the other.
fn to_one<S: ModelSerializer>(name: &'static str, key: usize) -> DeclaredRelation {
    DeclaredRelation {
        name,
        link: RelationColumns {
            from: key,
            to: S::Model::table().primary_key,
            is_many: false,
            description: "",
        },
        declaration: declaration_of::<S>,
    }
}
