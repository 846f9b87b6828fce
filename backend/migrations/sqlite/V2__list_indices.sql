CREATE INDEX "articles_created_at" ON "articles" ("created_at");
CREATE INDEX "articles_published_created_at" ON "articles" ("published", "created_at");
CREATE INDEX "articles_rating" ON "articles" ("rating");
CREATE INDEX "articles_category_id_created_at" ON "articles" ("category_id", "created_at");
