//! Expected responses for every caller, written by hand.

/// The methods, the URL below the prefix and the row; then the callers. A number after a status is the number of rows
/// in a list.
pub(super) const TABLE: &str = "
METHODS    URL                                           ROW             anonymous  user   owner  other  admin  disabled

GET,HEAD   /categories                                   -               200/1      200/1  200/1  200/1  200/1  401
POST       /categories                                   -               401        403    403    403    201    401
GET,HEAD   /categories/<int:id>                          -               200        200    200    200    200    401
PUT,PATCH  /categories/<int:id>                          -               401        403    403    403    200    401
DELETE     /categories/<int:id>                          -               401        403    403    403    204    401

GET,HEAD   /articles                                     -               200/2      200/2  200/3  200/3  200/5  401
POST       /articles                                     -               401        201    201    201    201    401
POST       /articles                                     many            401        201    201    201    201    401
PUT,PATCH  /articles                                     many:published  401        403    200    403    200    401
PUT,PATCH  /articles                                     many:draft      404        404    200    404    200    401
PUT,PATCH  /articles                                     many:both       401        403    403    403    200    401
DELETE     /articles                                     many:published  401        403    204    403    204    401
DELETE     /articles                                     many:draft      404        404    204    404    204    401
DELETE     /articles                                     many:both       401        403    403    403    204    401
GET,HEAD   /articles/<int:id>                            published       200        200    200    200    200    401
GET,HEAD   /articles/<int:id>                            draft           404        404    200    404    200    401
GET,HEAD   /articles/<int:id>                            nobodys         404        404    404    404    200    401
GET,HEAD   /articles/<int:id>                            missing         404        404    404    404    404    401
PUT,PATCH  /articles/<int:id>                            published       401        403    200    403    200    401
PUT,PATCH  /articles/<int:id>                            draft           404        404    200    404    200    401
PUT,PATCH  /articles/<int:id>                            nobodys         404        404    404    404    200    401
PUT,PATCH  /articles/<int:id>                            missing         404        404    404    404    404    401
DELETE     /articles/<int:id>                            published       401        403    204    403    204    401
DELETE     /articles/<int:id>                            draft           404        404    204    404    204    401
DELETE     /articles/<int:id>                            nobodys         404        404    404    404    204    401
DELETE     /articles/<int:id>                            missing         404        404    404    404    404    401

GET,HEAD   /articles/<int:article_id>/comments           published       200/1      200/1  200/1  200/1  200/1  401
GET,HEAD   /articles/<int:article_id>/comments           draft           404        404    200/1  404    200/1  401
POST       /articles/<int:article_id>/comments           published       201        201    201    201    201    401
POST       /articles/<int:article_id>/comments           draft           404        404    201    404    201    401
POST       /articles/<int:article_id>/comments           many:published  201        201    201    201    201    401
POST       /articles/<int:article_id>/comments           many:draft      404        404    201    404    201    401
PATCH      /articles/<int:article_id>/comments           many:published  401        403    403    403    200    401
PATCH      /articles/<int:article_id>/comments           many:draft      404        404    403    404    200    401
DELETE     /articles/<int:article_id>/comments           many:published  401        403    204    403    204    401
DELETE     /articles/<int:article_id>/comments           many:draft      404        404    204    404    204    401
DELETE     /articles/<int:article_id>/comments           many:elsewhere  404        404    404    404    404    401
GET,HEAD   /articles/<int:article_id>/comments/<int:id>  published       200        200    200    200    200    401
GET,HEAD   /articles/<int:article_id>/comments/<int:id>  draft           404        404    200    404    200    401
GET,HEAD   /articles/<int:article_id>/comments/<int:id>  elsewhere       404        404    404    404    404    401
PUT,PATCH  /articles/<int:article_id>/comments/<int:id>  published       401        403    403    403    200    401
PUT,PATCH  /articles/<int:article_id>/comments/<int:id>  draft           404        404    403    404    200    401
PUT,PATCH  /articles/<int:article_id>/comments/<int:id>  elsewhere       404        404    404    404    404    401
DELETE     /articles/<int:article_id>/comments/<int:id>  published       401        403    204    403    204    401
DELETE     /articles/<int:article_id>/comments/<int:id>  draft           404        404    204    404    204    401
DELETE     /articles/<int:article_id>/comments/<int:id>  elsewhere       404        404    404    404    404    401

GET,HEAD   /tags                                         -               200/1      200/1  200/1  200/1  200/1  401
POST       /tags                                         -               201        201    201    201    201    401
POST       /tags                                         many            201        201    201    201    201    401
PATCH      /tags                                         many            200        200    200    200    200    401
DELETE     /tags                                         many            204        204    204    204    204    401
GET,HEAD   /tags/<int:id>                                -               200        200    200    200    200    401
PUT,PATCH  /tags/<int:id>                                -               200        200    200    200    200    401
DELETE     /tags/<int:id>                                -               204        204    204    204    204    401

POST       /contact-submissions                          -               201        201    201    201    201    401

GET,HEAD   /samples                                      -               200/1      200/1  200/1  200/1  200/1  401
POST       /samples                                      -               201        201    201    201    201    401
POST       /samples                                      many            201        201    201    201    201    401
PUT,PATCH  /samples                                      many            200        200    200    200    200    401
DELETE     /samples                                      many            204        204    204    204    204    401
GET,HEAD   /samples/<uuid:id>                            -               200        200    200    200    200    401
PUT,PATCH  /samples/<uuid:id>                            -               200        200    200    200    200    401
DELETE     /samples/<uuid:id>                            -               204        204    204    204    204    401

GET,HEAD   /auth/users                                   -               401        403    403    403    200/6  401
POST       /auth/users                                   -               201        403    403    403    403    401
GET,HEAD   /auth/users/<int:id>                          owner           200        200    200    200    200    401
PUT,PATCH  /auth/users/<int:id>                          owner           401        403    200    403    403    401
PUT,PATCH  /auth/users/<int:id>                          missing         401        403    403    403    403    401
POST       /auth/users/<int:id>/disable                  owner           401        403    403    403    204    401
POST       /auth/users/<int:id>/disable                  admin           401        403    403    403    409    401
POST       /auth/users/<int:id>/disable                  missing         401        403    403    403    404    401
POST       /auth/users/<int:id>/enable                   disabled        401        403    403    403    204    401
POST       /auth/users/<int:id>/enable                   missing         401        403    403    403    404    401

POST       /auth/login                                   -               200        200    200    200    200    401
POST       /auth/logout                                  -               204        204    204    204    204    401
GET,HEAD   /auth/status                                  -               200        200    200    200    200    401
POST       /auth/password                                -               401        204    204    204    204    401
GET,HEAD   /auth/tokens                                  -               401        200/1  200/2  200/1  200/1  401
POST       /auth/tokens                                  -               401        201    201    201    201    401
DELETE     /auth/tokens/<int:id>                         -               401        404    204    404    404    401
GET,HEAD   /auth/sessions                                -               401        200/1  200/1  200/1  200/1  401
DELETE     /auth/sessions/<int:id>                       -               401        404    204    404    404    401
";

/// One line of the table.
pub(super) struct Scenario {
    pub(super) methods: Vec<&'static str>,
    pub(super) url: &'static str,
    pub(super) row: &'static str,
    pub(super) expected: Vec<Expected>,
}

/// The expected response for one caller.
pub(super) struct Expected {
    pub(super) caller: &'static str,
    pub(super) status: u16,
    pub(super) rows: Option<usize>,
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut lines = TABLE.lines().filter(|line| !line.is_empty());
    let callers: Vec<&str> = lines.next().unwrap().split_whitespace().skip(3).collect();
    let read = |line: &'static str| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(cells.len(), callers.len() + 3, "{line}");
        Scenario {
            methods: cells[0].split(',').collect(),
            url: cells[1],
            row: cells[2],
            expected: std::iter::zip(&callers, &cells[3..])
                .map(|(caller, cell)| expected(caller, cell))
                .collect(),
        }
    };
    lines.map(read).collect()
}

fn expected(caller: &'static str, cell: &'static str) -> Expected {
    let (status, rows) = match cell.split_once('/') {
        Some((status, rows)) => (status, Some(rows.parse().unwrap())),
        None => (cell, None),
    };
    Expected {
        caller,
        status: status.parse().unwrap(),
        rows,
    }
}
