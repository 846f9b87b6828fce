//! The relations that a serializer declares.

use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::serializer::declaration::{DeclaredRelation, RelationColumns};
use crate::serializer::model_serializer::{ModelSerializer, declaration_of};
use crate::serializer::serializer_fields::SerializerFields;

impl<M: Model> SerializerFields<M> {
    /// Adds the object that a foreign key names, in the form that serializer `S` gives it. It never enters.
    ///
    /// If `S` wraps its objects, the nested object is wrapped too. Serializers that nest each other in a circle are
    /// refused when the api is built.
    pub fn embed<S: ModelSerializer>(mut self, name: &'static str, key: Field<M, impl ColumnType>) -> Self {
        self.added.nested.push(to_one::<S>(name, key.position()));
        self
    }

    /// Declares a relation to the object that a foreign key names, in the form that serializer `S` gives it. Clients see it
    /// only if they ask for it, `?expand=author`, and may filter and sort by its fields, `?author.name=..`.
    pub fn belongs_to<S: ModelSerializer>(
        mut self,
        name: &'static str,
        key: Field<M, impl ColumnType>,
    ) -> Self {
        self.added.expandable.push(to_one::<S>(name, key.position()));
        self
    }

    /// Declares a relation to all objects whose foreign key names this one, in the form that serializer `S` gives each of
    /// them. Clients see them only if they ask for them, `?expand=comments`, and may filter by their fields: `?comments.body=..`
    /// holds if one of them has it.
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
            },
            declaration: declaration_of::<S>,
        });
        self
    }
}

/// The relation by a foreign key here to the key of the model there.
fn to_one<S: ModelSerializer>(name: &'static str, key: usize) -> DeclaredRelation {
    DeclaredRelation {
        name,
        link: RelationColumns {
            from: key,
            to: S::Model::table().primary_key,
            is_many: false,
        },
        declaration: declaration_of::<S>,
    }
}
