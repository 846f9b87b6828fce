//! Registration of serializers, resources and views.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::model::Model;
use model_resource_schema::serializer::{RegisteredSerializer, SerializerRole};

use crate::api::builder::Api;
use crate::api::registered::{Registered, RegisteredKind};
use crate::description::HandlerSchemas;
use crate::resource::{
    Blueprint, Components, MethodDecorators, ModelResource, Registration, ResourceSpec, SerializerEntry,
    View, ViewSpec, short_name, view_chain,
};

impl Api {
    /// Registers a serializer for its model.
    pub fn serializer<S: RegisteredSerializer>(mut self) -> Self {
        self.add_serializer(SerializerEntry::of::<S>());
        self
    }

    /// Adds a serializer; the same one may be added by several resources.
    fn add_serializer(&mut self, entry: SerializerEntry) {
        let SerializerEntry {
            id,
            role,
            table,
            compiled,
        } = entry;
        if self.serializers.knows(id) {
            return;
        }
        let serializers = self.serializers.entry(table);
        let slot = match role {
            SerializerRole::Single => &mut serializers.single,
            SerializerRole::Many => &mut serializers.many,
            SerializerRole::Create => &mut serializers.create,
        };
        match compiled {
            Ok(_) if slot.is_some() => self.mistakes.push(format!(
                "{} has two serializers for the same role: mark one with #[serializer(many)] or #[serializer(create)], \
                 or register only one",
                table.model
            )),
            Ok(compiled) => {
                let compiled = Arc::new(compiled);
                *slot = Some(Arc::clone(&compiled));
                self.serializers.insert(id, compiled);
            }
            Err(mistake) => {
                self.mistakes.push(mistake);
                self.broken.push(table);
            }
        }
    }

    /// Registers a resource at its URLs, together with the serializers and the policy that its attribute names.
    ///
    /// Without a serializer the resource shows all columns of its model that are not hidden.
    pub fn model_resource<R: ModelResource>(self) -> Self {
        self.add_resource::<R>(R::registration(), MethodDecorators::none())
    }

    /// Registers a resource below a blueprint, instead of the one that its attribute names, with decorators outside its
    /// own. Libraries register their resources so, at a prefix and with limits that the application chooses.
    pub fn model_resource_below<R: ModelResource>(
        self,
        blueprint: Blueprint,
        decorators: MethodDecorators,
    ) -> Self {
        self.add_resource::<R>(R::registration().blueprint(blueprint), decorators)
    }

    fn add_resource<R: ModelResource>(mut self, registration: Registration, outer: MethodDecorators) -> Self {
        let mut components = Components::new();
        R::components(&mut components);
        for entry in components.serializers {
            self.add_serializer(entry);
        }
        for entry in components.policies {
            self.add_policy(entry);
        }
        self.serializers.add_default::<R::Model>();
        let mut spec = ResourceSpec::of::<R>();
        spec.decorators = outer.and(spec.decorators);
        self.registered.push(Registered {
            name: short_name::<R>(),
            registration,
            kind: RegisteredKind::Resource(Box::new(spec)),
        });
        self
    }

    /// Registers a view at its URLs, by the name of its function.
    pub fn route<V: View>(self, _view: fn() -> V) -> Self {
        self.add_view::<V>(V::registration())
    }

    /// Registers a view below a blueprint, instead of the one that its attribute names.
    pub fn route_below<V: View>(self, _view: fn() -> V, blueprint: Blueprint) -> Self {
        self.add_view::<V>(V::registration().blueprint(blueprint))
    }

    fn add_view<V: View>(self, registration: Registration) -> Self {
        let mut schemas = HandlerSchemas::default();
        V::schemas(&mut schemas);
        let view = ViewSpec {
            registration,
            decorators: V::decorators(),
            schemas,
            handler: Arc::new(V::call),
        };
        self.add_view_spec(short_name::<V>(), view)
    }

    /// Registers a view that is made of values; see [`ViewSpec`].
    pub fn view(self, view: ViewSpec) -> Self {
        self.add_view_spec(view.registration.endpoint, view)
    }

    fn add_view_spec(mut self, name: &'static str, view: ViewSpec) -> Self {
        let ViewSpec {
            registration,
            decorators,
            schemas,
            handler,
        } = view;
        let schemas = (!schemas.is_empty()).then(|| Arc::new(schemas));
        let chain = view_chain(name, decorators, handler);
        self.registered.push(Registered {
            name,
            registration,
            kind: RegisteredKind::View(Arc::new(chain), schemas),
        });
        self
    }

    /// Adds a model that only handlers and subscribers use, so that its table is one of [`Api::tables`]. Models of
    /// resources, relations, policies and subscribers need not be added.
    ///
    /// ```
    /// use model_resource::{Api, Model};
    ///
    /// #[derive(Model)]
    /// #[model(table = "outbox")]
    /// struct OutboxEntry {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     message: String,
    /// }
    ///
    /// let tables = Api::new("library").model::<OutboxEntry>().tables();
    /// assert_eq!(tables[0].name, "outbox");
    /// ```
    pub fn model<M: Model>(mut self) -> Self {
        self.models.push(M::table());
        self
    }

    /// Tables of the registered resources, those that their foreign keys reference, those that the relations of
    /// registered serializers lead to or through, and those of the models with a policy, with subscribers or added by
    /// [`Api::model`], for [`Store::create_tables`](crate::Store::create_tables) and
    /// [`Store::verify`](crate::Store::verify).
    ///
    /// ```
    /// use model_resource::{Api, Model, model_resource};
    ///
    /// #[derive(Model)]
    /// struct Author {
    ///     #[column(primary_key)]
    ///     id: i64,
    /// }
    ///
    /// #[derive(Model)]
    /// struct Book {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     #[column(references = Author)]
    ///     author_id: i64,
    /// }
    ///
    /// #[model_resource(Book, "/books")]
    /// struct BookResource;
    ///
    /// let tables = Api::new("library").model_resource::<BookResource>().tables();
    /// let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    /// assert_eq!(names, ["authors", "books"]);
    /// ```
    pub fn tables(&self) -> Vec<&'static Table> {
        let mut tables = Vec::new();
        for spec in self.registered.iter().filter_map(Registered::resource) {
            add_with_references(spec.table, &mut Vec::new(), &mut tables);
        }
        let serializers = self.serializers.registered();
        let related = serializers.flat_map(|serializer| serializer.projection().related_tables());
        let with_policy = self.policies.iter().map(|(table, _)| table);
        let others = self.models.iter().copied().chain(with_policy);
        let others = others.chain(self.subscribers.tables());
        for mut group in [related.collect::<Vec<_>>(), others.collect()] {
            group.sort_by_key(|table| table.name);
            for table in group {
                add_with_references(table, &mut Vec::new(), &mut tables);
            }
        }
        tables
    }
}

/// Adds a table after those that its foreign keys reference; `on_the_way` ends cycles.
fn add_with_references(
    table: &'static Table,
    on_the_way: &mut Vec<&'static Table>,
    tables: &mut Vec<&'static Table>,
) {
    let is_known = |known: &&'static Table| known.id() == table.id();
    if tables.iter().any(is_known) || on_the_way.iter().any(is_known) {
        return;
    }
    on_the_way.push(table);
    for references in table.columns.iter().filter_map(|column| column.references) {
        add_with_references((references.table)(), on_the_way, tables);
    }
    tables.push(table);
}
