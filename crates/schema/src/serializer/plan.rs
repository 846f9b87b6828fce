//! A serializer made ready: what to write and what to read, settled once at start-up.

use std::sync::Arc;

use crate::check::Check;
use crate::column::{Column, Table};
use crate::json::write_text;
use crate::kind::Kind;
use crate::model::Member;
use crate::naming;
use crate::relation::Relation;
use crate::serializer::declaration::{
    Added, Compute, Convert, Declaration, Envelope, Nested, SerializerType, Validate, ValidateWhole,
};
use crate::serializer::model_serializer::{RegisteredSerializer, declaration_of};

/// What a serializer does, known by columns instead of types. It never changes once made.
pub struct Plan {
    pub(super) table: &'static Table,
    pub(super) outputs: Vec<Output>,
    pub(super) inputs: Vec<InputField>,
    pub(super) envelope: Option<Envelope>,
    pub(super) conversions: Vec<(&'static str, usize, Convert)>,
    pub(super) validate: ValidateWhole,
    relations: Arc<[Relation]>,
    validates_whole: bool,
}

/// What is written next of an object.
pub(super) enum Output {
    /// Columns that stand side by side.
    Columns(Vec<Member>),
    /// A value that is made of the row, after what stands before it.
    Computed(Vec<u8>, Compute),
    /// Another row that this one names, as its own serializer writes it.
    Nested(Member, NestedRow),
}

pub(super) struct NestedRow {
    pub(super) relation: usize,
    pub(super) plan: Plan,
}

/// One member of the objects that are read.
pub(super) struct InputField {
    pub(super) name: String,
    pub(super) alias: Option<&'static str>,
    pub(super) target: Target,
}

pub(super) enum Target {
    /// Known, and not for clients to set.
    ReadOnly(Option<usize>),
    Column(ColumnInput),
    Extra(ExtraTarget),
}

pub(super) struct ColumnInput {
    pub(super) position: usize,
    pub(super) column: &'static Column,
    pub(super) check: Check,
    pub(super) validators: Vec<Validate>,
}

pub(super) struct ExtraTarget {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) check: Check,
    pub(super) required_on_create: bool,
}

impl Plan {
    /// Makes a registered serializer ready. Fails with what is wrong with the model or the serializer, and the remedy.
    pub fn new<S: RegisteredSerializer>() -> Result<Self, String> {
        Ok(Self {
            validates_whole: S::VALIDATES,
            ..Self::of(declaration_of::<S>(), &[])?
        })
    }

    /// Makes a serializer ready that is nested in those of the path, the outermost first.
    fn of(declaration: Declaration, path: &[SerializerType]) -> Result<Self, String> {
        let path = &[path, &[declaration.serializer]].concat();
        refuse_circle(path)?;
        refuse_unknown_names(&declaration)?;
        let mut plan = Self {
            table: declaration.table,
            outputs: Vec::new(),
            inputs: Vec::new(),
            envelope: declaration.envelope.clone(),
            conversions: Vec::new(),
            validate: declaration.validate,
            relations: Arc::new([]),
            validates_whole: true,
        };
        plan.add_columns(&declaration)?;
        plan.refuse_idle_checks(&declaration.added)?;
        plan.add_declared(declaration.added, path)?;
        plan.refuse_double_names()?;
        Ok(plan)
    }

    /// The table of the serializer's model.
    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// The rows of other tables that writing needs.
    pub fn relations(&self) -> &Arc<[Relation]> {
        &self.relations
    }

    /// Whether an update must be checked against the very row it changes.
    pub fn validates_whole(&self) -> bool {
        self.validates_whole
    }

    /// Whether an update is made over the row as it is read before: to be checked with it, or so that nothing slow is done
    /// for a row that is not there.
    pub fn reads_before_update(&self) -> bool {
        self.validates_whole || !self.conversions.is_empty()
    }

    /// Whether nothing but a row's own columns is written.
    pub fn writes_columns_only(&self) -> bool {
        let are_columns = |output: &Output| matches!(output, Output::Columns(_));
        self.outputs.iter().all(are_columns)
    }

    fn add_columns(&mut self, declaration: &Declaration) -> Result<(), String> {
        for (position, column) in self.table.columns.iter().enumerate() {
            let check =
                Check::new(column).map_err(|mistake| format!("model {}: {mistake}", self.table.model))?;
            let served = !column.hidden
                && declaration.fields.contains(column.name)
                && !declaration.exclude.contains(column.name);
            if !served {
                continue;
            }
            let name = column.wire_name();
            if !declaration.write_only.contains(column.name) {
                self.add_column(&name, position);
            }
            let target = if column.is_generated() || declaration.read_only.contains(column.name) {
                Target::ReadOnly(Some(position))
            } else {
                let validators = declaration
                    .added
                    .validators
                    .iter()
                    .filter(|(of, _)| *of == position);
                let validators = validators.map(|(_, validate)| Arc::clone(validate)).collect();
                Target::Column(ColumnInput {
                    position,
                    column,
                    check,
                    validators,
                })
            };
            let alias = (self.table.takes_snake_case && name != column.name).then_some(column.name);
            self.inputs.push(InputField { name, alias, target });
        }
        Ok(())
    }

    fn add_declared(&mut self, added: Added, path: &[SerializerType]) -> Result<(), String> {
        for (name, compute) in added.computed {
            let before = self.before_next(name);
            self.add_read_only(name, Output::Computed(before, compute));
        }
        let mut relations = Vec::new();
        for Nested {
            name,
            column,
            declaration,
        } in added.nested
        {
            let declaration = declaration();
            let foreign_key = &self.table.columns[column];
            let leads_to = foreign_key.references.map(|references| (references.table)());
            if !leads_to.is_some_and(|table| std::ptr::eq(table, declaration.table)) {
                let (column, model) = (foreign_key.name, declaration.table.model);
                return Err(format!(
                    "nested field `{name}`: column `{column}` must have `references = {model}`"
                ));
            }
            let plan = Self::of(declaration, path)?;
            relations.push(Relation {
                column,
                table: plan.table,
                relations: plan.relations.to_vec(),
            });
            let relation = relations.len() - 1;
            let before = self.before_next(name);
            let nested = Output::Nested(Member { before, column }, NestedRow { relation, plan });
            self.add_read_only(name, nested);
        }
        self.relations = relations.into();
        for input in added.inputs {
            let Column { name, kind, .. } = input.column;
            let check = Check::new(&input.column)
                .map_err(|mistake| format!("serializer of {}: {mistake}", self.table.model))?;
            if let Some((column, convert)) = input.converted {
                self.conversions.push((name, column, convert));
            }
            let extra = ExtraTarget {
                name,
                kind,
                check,
                required_on_create: input.required_on_create,
            };
            self.inputs.push(InputField {
                name: name.to_owned(),
                alias: None,
                target: Target::Extra(extra),
            });
        }
        Ok(())
    }

    /// What stands before the value of the next member.
    fn before_next(&self, name: &str) -> Vec<u8> {
        let mut before = Vec::with_capacity(name.len() + 4);
        if !self.outputs.is_empty() {
            before.push(b',');
        }
        write_text(&mut before, name);
        before.push(b':');
        before
    }

    fn add_column(&mut self, name: &str, column: usize) {
        let before = self.before_next(name);
        let member = Member { before, column };
        match self.outputs.last_mut() {
            Some(Output::Columns(members)) => members.push(member),
            _ => self.outputs.push(Output::Columns(vec![member])),
        }
    }

    fn add_read_only(&mut self, name: &str, output: Output) {
        self.outputs.push(output);
        self.inputs.push(InputField {
            name: name.to_owned(),
            alias: None,
            target: Target::ReadOnly(None),
        });
    }

    /// A check of a column that clients cannot set would never run.
    fn refuse_idle_checks(&self, added: &Added) -> Result<(), String> {
        for (checked, _) in &added.validators {
            let is_checked = |field: &InputField| matches!(&field.target, Target::Column(input) if input.position == *checked);
            if !self.inputs.iter().any(is_checked) {
                return Err(format!(
                    "serializer of {}: the check of `{}` never runs, since clients cannot set it; take the check away, \
                     or let the column in",
                    self.table.model, self.table.columns[*checked].name
                ));
            }
        }
        Ok(())
    }

    fn refuse_double_names(&self) -> Result<(), String> {
        for (i, field) in self.inputs.iter().enumerate() {
            if self.inputs[..i].iter().any(|earlier| earlier.name == field.name) {
                return Err(format!(
                    "serializer of {}: two fields have the wire name `{}`; rename or exclude one",
                    self.table.model, field.name
                ));
            }
        }
        Ok(())
    }
}

/// A serializer that contains itself would write without end.
fn refuse_circle(path: &[SerializerType]) -> Result<(), String> {
    let Some((last, outer)) = path.split_last() else {
        return Ok(());
    };
    let Some(start) = outer.iter().position(|serializer| serializer == last) else {
        return Ok(());
    };
    let names: Vec<&str> = path[start..].iter().map(|serializer| serializer.name()).collect();
    Err(format!(
        "nested serializers go in a circle: {}; nest one without that field",
        names.join(" > ")
    ))
}

fn refuse_unknown_names(declaration: &Declaration) -> Result<(), String> {
    let Declaration {
        table,
        fields,
        exclude,
        read_only,
        write_only,
        ..
    } = declaration;
    for name in [fields, exclude, read_only, write_only]
        .iter()
        .flat_map(|fields| fields.names())
    {
        if table.position(name).is_none() {
            let columns = table.columns.iter().map(|column| column.name);
            let hint = naming::nearest(name, columns).map(|near| format!("; did you mean `{near}`?"));
            return Err(format!(
                "model {} has no column `{name}`{}",
                table.model,
                hint.unwrap_or_default()
            ));
        }
    }
    Ok(())
}
