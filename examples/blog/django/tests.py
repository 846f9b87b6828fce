# The requests of ../tests/blog.rs. Run by `python manage.py test`.

from rest_framework.test import APIClient, APITestCase


class BlogTest(APITestCase):
    def setUp(self):
        self.anyone = APIClient()
        ada, grace = (self.send(self.anyone.post, "/users", {"username": n}, 201)["id"] for n in [" Ada ", "grace"])
        self.ada, self.grace = (APIClient(headers={"User": str(user)}) for user in (ada, grace))
        self.category = self.send(self.ada.post, "/categories", {"name": "Rust & SQL"}, 201)["id"]
        self.send(self.ada.post, "/series", {"title": "From Zero"}, 201)
        tags = [self.send(self.ada.post, "/tags", {"name": name}, 201) for name in ["async", "SQL", "tests"]]
        self.tags = [tag["id"] for tag in tags]

    def send(self, method, url, body, status):
        response = method(url, body, format="json")
        self.assertEqual(response.status_code, status, response.content)
        return response.json() if response.content else None

    def get(self, client, url, status=200):
        return self.send(client.get, url, None, status)

    def slugs(self, client, url):
        return [article["slug"] for article in self.get(client, url)]

    def article(self, title, tags, **more):
        published = {"title": title, "content": "..", "categoryId": self.category, "published": True}
        return published | {"tags": tags} | more

    def test_names_are_normalized_and_unique(self):
        errors = self.send(self.anyone.post, "/users", {"username": "ADA"}, 400)
        self.assertEqual(errors, {"username": ["This user name is taken."]})
        errors = self.send(self.anyone.post, "/users", {"username": "a b"}, 400)
        self.assertEqual(errors, {"username": ["Use letters, digits and . _ - only."]})
        self.assertEqual(self.get(self.anyone, "/categories/rust-sql")["name"], "Rust & SQL")
        self.send(self.ada.post, "/articles", self.article("Hello, World", []), 201)
        errors = self.send(self.ada.post, "/articles", self.article("Hello World!", []), 400)
        self.assertEqual(errors, {"title": ["There is an article of this title already."]})
        self.send(self.ada.patch, "/articles/hello-world", {"title": "Hello again"}, 200)
        self.assertEqual(self.get(self.anyone, "/articles/hello-world")["title"], "Hello again")
        self.send(self.ada.patch, "/categories/rust-sql", {"name": "Gardens"}, 200)
        self.get(self.anyone, "/categories/rust-sql", 404)

    def test_articles_name_their_tags(self):
        created = self.send(self.ada.post, "/articles", self.article("One", ["sql", "async"]), 201)
        self.assertEqual(created["tags"], ["async", "sql"])
        self.send(self.ada.post, "/articles", self.article("Two", ["sql", "fun"]), 400)
        self.assertEqual(len(self.get(self.anyone, "/articles")), 1)
        change = {"tags": ["tests", "sql"]}
        self.send(self.anyone.patch, "/articles/one", change, 401)
        self.send(self.grace.patch, "/articles/one", change, 403)
        self.assertEqual(self.send(self.ada.patch, "/articles/one", change, 200)["tags"], ["sql", "tests"])
        self.assertEqual(self.slugs(self.anyone, "/articles?tags__name=tests"), ["one"])
        self.assertEqual(self.slugs(self.anyone, "/articles?tags__name=async"), [])

    def test_articles_are_sorted_by_their_number_of_tags(self):
        for title, tags in [("One", ["sql"]), ("Two", ["async", "sql", "tests"]), ("Three", [])]:
            self.send(self.ada.post, "/articles", self.article(title, tags), 201)
        self.assertEqual(self.slugs(self.anyone, "/articles?ordering=-tag_count"), ["two", "one", "three"])
        self.assertEqual(self.slugs(self.anyone, "/articles?ordering=tag_count"), ["three", "one", "two"])

    def test_a_series_lists_its_articles_in_reading_order(self):
        for title, part in [("End", 3), ("Start", 1), ("Middle", 2)]:
            self.send(self.ada.post, "/series/from-zero/articles", self.article(title, [], part=part), 201)
        self.assertEqual(self.get(self.anyone, "/series/from-zero")["articles"], ["start", "middle", "end"])
        errors = self.send(self.ada.patch, "/articles/end", {"part": 1}, 400)
        self.assertIn("The series has such a part already.", str(errors))
        self.send(self.ada.patch, "/articles/start", {"part": 4}, 200)
        self.assertEqual(self.get(self.anyone, "/series")[0]["articles"], ["middle", "end", "start"])

    def test_drafts_exist_only_for_their_author(self):
        public = self.send(self.ada.post, "/series/from-zero/articles", self.article("Public", ["sql"]), 201)["id"]
        draft = self.article("Secret", ["sql", "tests"], published=False)
        self.send(self.anyone.post, "/articles", draft, 401)
        secret = self.send(self.ada.post, "/series/from-zero/articles", draft, 201)["id"]
        for other in (self.anyone, self.grace):
            self.get(other, "/articles/secret", 404)
            self.get(other, "/articles/secret/tags", 404)
            for url in ["/articles", "/users/ada/articles", "/series/from-zero/articles", "/articles?tags__name=sql"]:
                self.assertEqual(self.slugs(other, url), ["public"])
            self.assertEqual(self.get(other, "/series/from-zero")["articles"], ["public"])
            self.assertEqual([tag["articles"] for tag in self.get(other, "/tags")], [[], [public], []])
        self.send(self.grace.patch, "/articles/secret", {"title": "Mine"}, 404)
        renamed = self.send(self.grace.patch, "/series/from-zero", {"title": "From One"}, 200)
        self.assertEqual(renamed["articles"], ["public"])
        tags = [tag["articles"] for tag in self.get(self.ada, "/tags")]
        self.assertEqual(tags, [[], [public, secret], [secret]])
        self.send(self.ada.patch, "/articles/secret", {"published": True}, 200)
        self.assertEqual(self.get(self.anyone, "/articles/secret")["tags"], ["sql", "tests"])

    def test_only_the_author_writes_an_article_and_its_tags(self):
        self.send(self.ada.post, "/articles", self.article("One", ["sql"]), 201)
        self.send(self.grace.post, "/users/ada/articles", self.article("Two", []), 403)
        self.send(self.grace.delete, "/articles/one", None, 403)
        tag = {"tagId": self.tags[0]}
        self.send(self.grace.post, "/articles/one/tags", tag, 403)
        self.send(self.ada.post, "/articles/one/tags", tag, 201)
        self.send(self.ada.post, "/articles/one/tags", tag, 400)
        errors = self.send(self.ada.post, "/articles/one/tags", {"tagId": 0}, 400)
        self.assertEqual(errors, {"tagId": ["There is no such tag."]})
        self.assertEqual(self.get(self.anyone, "/users/ada/articles/one")["tags"], ["async", "sql"])
        self.get(self.anyone, "/users/grace/articles/one", 404)
        self.get(self.anyone, "/users/grace/articles/one/tags", 404)
        self.get(self.anyone, "/categories/nowhere/articles", 404)
        body = self.article("Two", []) | {"categoryId": 0}
        self.send(self.ada.post, "/categories/rust-sql/articles", body, 400)
        self.send(self.anyone.patch, "/tags/sql", {"name": "nosql"}, 401)
        self.send(self.grace.patch, "/users/ada", {"username": "eve"}, 403)
