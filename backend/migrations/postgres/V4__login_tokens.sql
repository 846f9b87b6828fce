-- Tokens that a login gave make room for those of later logins; tokens that their owner made do not.
ALTER TABLE "auth_tokens" ADD COLUMN "from_login" boolean NOT NULL DEFAULT FALSE;
UPDATE "auth_tokens" SET "from_login" = TRUE WHERE "name" = 'login';
