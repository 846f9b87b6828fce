CREATE INDEX "articles_created_at" ON "articles" ("created_at", "id");
CREATE INDEX "articles_published_created_at" ON "articles" ("published", "created_at", "id");
CREATE INDEX "articles_rating" ON "articles" ("rating", "id");
CREATE INDEX "articles_category_id_created_at" ON "articles" ("category_id", "created_at", "id");
