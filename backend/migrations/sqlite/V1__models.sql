CREATE TABLE IF NOT EXISTS "users" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "email" TEXT NOT NULL UNIQUE,
    "username" TEXT NOT NULL UNIQUE,
    "first_name" TEXT,
    "last_name" TEXT,
    "password_hash" TEXT NOT NULL,
    "is_active" INTEGER NOT NULL,
    "created_at" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL
) STRICT;


CREATE TABLE IF NOT EXISTS "auth_tokens" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "user_id" INTEGER NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
    "token_hash" BLOB NOT NULL UNIQUE,
    "created_at" INTEGER NOT NULL,
    "expires_at" INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS "auth_tokens_user_id" ON "auth_tokens" ("user_id");


CREATE TABLE IF NOT EXISTS "categories" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL UNIQUE,
    "slug" TEXT NOT NULL,
    "created_at" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL
) STRICT;


CREATE TABLE IF NOT EXISTS "articles" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "title" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "summary" TEXT,
    "published" INTEGER NOT NULL,
    "rating" REAL,
    "price" INTEGER,
    "publish_date" INTEGER,
    "category_id" INTEGER REFERENCES "categories" ("id") ON DELETE SET NULL,
    "author_id" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,
    "created_at" INTEGER NOT NULL,
    "updated_at" INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS "articles_category_id" ON "articles" ("category_id");
CREATE INDEX IF NOT EXISTS "articles_author_id" ON "articles" ("author_id");


CREATE TABLE IF NOT EXISTS "comments" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "article_id" INTEGER NOT NULL REFERENCES "articles" ("id") ON DELETE CASCADE,
    "name" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS "comments_article_id" ON "comments" ("article_id");


CREATE TABLE IF NOT EXISTS "tags" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL UNIQUE
) STRICT;


CREATE TABLE IF NOT EXISTS "contact_submissions" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "created_at" INTEGER NOT NULL
) STRICT;


CREATE TABLE IF NOT EXISTS "samples" (
    "id" BLOB PRIMARY KEY NOT NULL,
    "flag" INTEGER NOT NULL,
    "small" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "big" INTEGER NOT NULL,
    "single" REAL NOT NULL,
    "ratio" REAL NOT NULL,
    "text" TEXT NOT NULL,
    "blob" BLOB NOT NULL,
    "amount" INTEGER NOT NULL,
    "day" INTEGER NOT NULL,
    "clock" INTEGER NOT NULL,
    "moment" INTEGER NOT NULL,
    "token" BLOB NOT NULL,
    "extra" TEXT NOT NULL,
    "color" TEXT NOT NULL,
    "maybe_flag" INTEGER,
    "maybe_small" INTEGER,
    "maybe_number" INTEGER,
    "maybe_big" INTEGER,
    "maybe_single" REAL,
    "maybe_ratio" REAL,
    "maybe_text" TEXT,
    "maybe_blob" BLOB,
    "maybe_amount" INTEGER,
    "maybe_day" INTEGER,
    "maybe_clock" INTEGER,
    "maybe_moment" INTEGER,
    "maybe_token" BLOB,
    "maybe_extra" TEXT,
    "maybe_color" TEXT
) STRICT;


