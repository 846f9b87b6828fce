//! URL parameters under policies: key columns and parents.

/// Declares a default serializer for each model.
macro_rules! serializers {
    ($($serializer:ident($model:ident)),*) => { $(
        struct $serializer;

        #[model_resource::serializer]
        impl model_resource::ModelSerializer for $serializer {
            type Model = $model;
        }
    )* };
}

mod presets;
mod tenants;
