//! Projections for the caller: the fields of a serializer that they see, and of these the requested ones.

use std::sync::Arc;

use model_resource_schema::serializer::Projection;

use crate::access::table_access::TableAccess;
use crate::pipeline::Result;
use crate::query::read_selection;

impl TableAccess<'_> {
    /// Projection of one object: the fields that the request selects, or those that the caller sees by default.
    pub(crate) fn object_projection(self) -> Result<Arc<Projection>> {
        let projection = self.cx.services().serializers.single(self.table)?.projection();
        match self.cx.uri().query() {
            Some(_) => read_selection(&self.selectable(projection), self.cx.query_string()),
            None => Ok(self.output(projection)),
        }
    }

    /// Projection of an object that was written: the fields that the caller sees by default.
    pub(crate) fn written_projection(self) -> Result<Arc<Projection>> {
        let serializer = self.cx.services().serializers.single(self.table)?;
        Ok(self.output(serializer.projection()))
    }

    /// Projection of a list, of which the query may select and filter fields.
    pub(crate) fn list_projection(self) -> Result<Arc<Projection>> {
        let projection = self.cx.services().serializers.many(self.table)?.projection();
        Ok(match self.cx.uri().query() {
            Some(_) => self.selectable(projection),
            None => self.output(projection),
        })
    }

    /// Part of a projection that the caller gets if the request selects no fields; often the whole.
    pub(crate) fn output(self, projection: &Arc<Projection>) -> Arc<Projection> {
        let is_restricted = !self.hidden().is_empty() || self.private().is_some();
        if !is_restricted && projection.writes_columns_only() {
            Arc::clone(projection)
        } else {
            self.selectable(projection)
        }
    }

    /// Part of a projection that the caller sees, including relations, and so may name in a query.
    fn selectable(self, projection: &Arc<Projection>) -> Arc<Projection> {
        match self.cx.visibility() {
            Some(visibility) => Arc::new(projection.restricted_to(&visibility)),
            None => Arc::clone(projection),
        }
    }
}
