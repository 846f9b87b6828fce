-- Tokens that a login gave make room for those of later logins; tokens that their owner made do not.
ALTER TABLE "auth_tokens" ADD COLUMN "from_login" INTEGER NOT NULL DEFAULT 0;
UPDATE "auth_tokens" SET "from_login" = 1 WHERE "name" = 'login';
