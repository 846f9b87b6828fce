-- Names that log in are kept in small letters. If two users differ by case alone, this fails: rename one of them first.
UPDATE "users" SET "email" = lower("email"), "username" = lower("username");
ALTER TABLE "users" ADD COLUMN "roles" TEXT NOT NULL DEFAULT '';

-- Tokens are known by their keys from now on, so that those given before are worth nothing.
DROP TABLE "auth_tokens";
CREATE TABLE "auth_tokens" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "user_key" TEXT NOT NULL,
    "token_hash" BLOB NOT NULL,
    "stamp" BLOB NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" INTEGER NOT NULL,
    "expires_at" INTEGER NOT NULL
) STRICT;
CREATE INDEX "auth_tokens_user_key" ON "auth_tokens" ("user_key");
CREATE INDEX "auth_tokens_expires_at" ON "auth_tokens" ("expires_at");

CREATE TABLE "auth_sessions" (
    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
    "user_key" TEXT NOT NULL,
    "token_hash" BLOB NOT NULL,
    "stamp" BLOB NOT NULL,
    "user_agent" TEXT,
    "created_at" INTEGER NOT NULL,
    "used_at" INTEGER NOT NULL,
    "expires_at" INTEGER NOT NULL
) STRICT;
CREATE INDEX "auth_sessions_user_key" ON "auth_sessions" ("user_key");
CREATE INDEX "auth_sessions_expires_at" ON "auth_sessions" ("expires_at");
