//! Answers to the questions of `make-migration`, from options or from the terminal.

use clap::Args;
use model_resource::{SqlDialect, Table};
use model_resource_migrations::{MigrationAnswers, MigrationQuestion};

use crate::failure::Failure;
use crate::manage::question::{ask, is_terminal};

#[derive(Args, Clone, Default)]
pub(crate) struct AnswerArgs {
    /// Value of a new column for rows that exist, such as `posts.title=Untitled`
    #[arg(long, value_name = "TABLE.COLUMN=VALUE")]
    default: Vec<String>,
    /// New name of a table (`posts:articles`) or of a column (`articles.head:title`)
    #[arg(long, value_name = "[TABLE.]OLD:NEW")]
    rename: Vec<String>,
    /// Table or column that is removed with its values, rather than renamed
    #[arg(long, value_name = "TABLE[.COLUMN]")]
    remove: Vec<String>,
    /// Table, column or index that stays although no model declares it
    #[arg(long, value_name = "NAME")]
    keep: Vec<String>,
    /// SQL expression for the values of a column of a new type
    #[arg(long, value_name = "TABLE.COLUMN=EXPRESSION")]
    convert: Vec<String>,
}

impl AnswerArgs {
    /// Keeps tables, columns and indexes that the application declares as made by hand.
    pub(crate) fn keeping(mut self, names: &[String]) -> Self {
        self.keep.extend_from_slice(names);
        self
    }

    /// Returns the answers for a kind of database.
    ///
    /// # Errors
    /// If an answer has another form, or if a column cannot hold its value.
    pub(crate) fn of(
        &self,
        dialect: SqlDialect,
        models: &[&'static Table],
    ) -> Result<MigrationAnswers, Failure> {
        let mut answers = MigrationAnswers::new();
        for text in &self.rename {
            answers = answers.rename(text)?;
        }
        for text in &self.default {
            answers = answers.default_value(dialect, models, text)?;
        }
        for text in &self.convert {
            let parts = text
                .split_once('=')
                .and_then(|(name, expression)| Some((name.rsplit_once('.')?, expression)));
            let Some(((table, column), expression)) = parts else {
                let form = "a conversion has the form table.column=EXPRESSION";
                return Err(format!("{form}, not {text:?}").into());
            };
            answers = answers.convert(table, column, expression);
        }
        answers = self
            .remove
            .iter()
            .fold(answers, |answers, name| answers.remove(name));
        Ok(self.keep.iter().fold(answers, |answers, name| answers.keep(name)))
    }

    /// Asks a question on the terminal and adds its answer.
    ///
    /// # Errors
    /// With the option to give, if there is no terminal, or if only another option helps.
    pub(crate) fn ask(
        &mut self,
        question: &MigrationQuestion,
        dialect: SqlDialect,
        models: &[&'static Table],
    ) -> Result<(), Failure> {
        if !is_terminal() {
            return Err(question.to_string().into());
        }
        match question {
            MigrationQuestion::Renamed {
                table,
                removed,
                added,
            } => self.ask_rename(table.as_deref(), removed, added),
            MigrationQuestion::Default { table, column } => {
                self.ask_default(&format!("{table}.{column}"), dialect, models)
            }
            MigrationQuestion::Conversion {
                table,
                column,
                from,
                to,
            } => {
                let name = format!("{table}.{column}");
                let value = ask(&format!(
                    "SQL expression for {name}, which was {from} and is {to} now: "
                ))?;
                self.convert.push(format!("{name}={value}"));
                Ok(())
            }
            other => Err(other.to_string().into()),
        }
    }

    /// Asks for a value until the column can hold it.
    fn ask_default(
        &mut self,
        name: &str,
        dialect: SqlDialect,
        models: &[&'static Table],
    ) -> Result<(), Failure> {
        loop {
            let value = ask(&format!("Value of {name} for the rows that exist: "))?;
            self.default.push(format!("{name}={value}"));
            let Err(error) = self.of(dialect, models) else {
                return Ok(());
            };
            self.default.pop();
            eprintln!("{error}");
        }
    }

    fn ask_rename(
        &mut self,
        table: Option<&str>,
        removed: &[String],
        added: &[String],
    ) -> Result<(), Failure> {
        let prefix = table.map(|table| format!("{table}.")).unwrap_or_default();
        let Some(old) = removed.first() else {
            return Ok(());
        };
        eprintln!("`{prefix}{old}` is gone. Its new name is:");
        for (number, new) in added.iter().enumerate() {
            eprintln!("  {}  {new}", number + 1);
        }
        eprintln!("  0  none: it is removed with its values");
        let answer = ask("Number: ")?;
        match answer.parse::<usize>() {
            Ok(0) => self.remove.push(format!("{prefix}{old}")),
            Ok(number) if number <= added.len() => {
                let rename = MigrationQuestion::rename_option(table, old, &added[number - 1]);
                self.rename.push(rename);
            }
            _ => eprintln!("{answer:?} is not one of the numbers"),
        }
        Ok(())
    }
}
