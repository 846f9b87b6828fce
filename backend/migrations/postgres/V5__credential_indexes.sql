DROP INDEX "auth_sessions_expires_at";
DROP INDEX "auth_sessions_user_key";
DROP INDEX "auth_tokens_expires_at";
DROP INDEX "auth_tokens_user_key";
CREATE INDEX "auth_sessions_expires_at" ON "auth_sessions" ("expires_at", "id");
CREATE INDEX "auth_sessions_user_key" ON "auth_sessions" ("user_key" COLLATE "C", "id");
CREATE INDEX "auth_tokens_expires_at" ON "auth_tokens" ("expires_at", "id");
CREATE INDEX "auth_tokens_user_key" ON "auth_tokens" ("user_key" COLLATE "C", "id");
