# The requests of ../tests/library.rs. Run by `DESK_KEY=secret python manage.py test`.

from unittest.mock import patch

from rest_framework.test import APIClient, APITestCase


class LibraryTest(APITestCase):
    def setUp(self):
        self.desk = APIClient(headers={"Desk-Key": "secret"})
        self.ann = APIClient(headers={"Library-Card": "1"})
        self.bob = APIClient(headers={"Library-Card": "2"})
        self.anyone = APIClient()
        self.north, self.south = (self.new("/branches", name=name)["id"] for name in ["North", "South"])
        self.members = [self.new("/members", name=name, email=f"{name}@Example.com")["id"] for name in ["ann", "bob"]]
        self.ann, self.bob = (APIClient(headers={"Library-Card": str(member)}) for member in self.members)
        for name in ["Brian Kernighan", "Rob Pike"]:
            self.new("/authors", name=name)
        authors = ["Rob Pike", "Brian Kernighan"]
        self.book = self.new("/books", title="The Practice of Programming", year=1999, authors=authors)["id"]
        self.copies = [
            self.new(f"/books/{self.book}/copies", branchId=branch, barcode="000001")["id"]
            for branch in (self.north, self.south)
        ]

    def new(self, url, **body):
        return self.send(self.desk.post, url, body, 201)

    def send(self, method, url, body, status):
        response = method(url, body, format="json")
        self.assertEqual(response.status_code, status, response.content)
        return response.json() if response.content else None

    def get(self, client, url, status=200):
        return self.send(client.get, url, None, status)

    def loan(self, copy, member, lent, due):
        branch = (self.north, self.south)[copy]
        copy, member = self.copies[copy], self.members[member]
        return {"copyId": copy, "memberId": member, "branchId": branch, "lent": lent, "due": due}

    def test_books_name_their_authors(self):
        url = f"/books/{self.book}"
        self.assertEqual(self.get(self.anyone, url)["authors"], ["Brian Kernighan", "Rob Pike"])
        change = {"authors": ["Brian Kernighan"]}
        self.send(self.ann.patch, url, change, 403)
        self.send(self.anyone.patch, url, change, 401)
        self.assertEqual(self.send(self.desk.patch, url, change, 200)["authors"], ["Brian Kernighan"])
        self.send(self.desk.patch, url, {"authors": ["Nobody"]}, 400)
        self.assertEqual(len(self.get(self.anyone, "/books?authors__name=Brian%20Kernighan")), 1)
        self.assertEqual(len(self.get(self.anyone, "/books?authors__name=Rob%20Pike")), 0)

    def test_a_deleted_book_can_be_restored(self):
        url = f"/books/{self.book}"
        self.send(self.ann.delete, url, None, 403)
        self.send(self.desk.delete, url, None, 204)
        self.get(self.desk, url, 404)
        self.send(self.desk.post, f"{url}/copies", {"branchId": self.north, "barcode": "000002"}, 404)
        self.send(self.ann.post, f"{url}/restore", {}, 403)
        self.send(self.desk.post, f"{url}/restore", {}, 200)
        self.assertEqual(len(self.get(self.ann, "/books")), 1)

    def test_members_see_and_change_themselves(self):
        self.assertEqual([member["email"] for member in self.get(self.ann, "/members")], ["ann@example.com"])
        self.send(self.ann.patch, f"/members/{self.members[0]}", {"name": "Anna"}, 200)
        self.send(self.ann.patch, f"/members/{self.members[1]}", {"name": "Anna"}, 404)
        self.send(self.desk.post, "/members", {"name": "Ann", "email": "ANN@example.com"}, 400)
        self.send(APIClient(headers={"Desk-Key": "guess"}).get, "/members", None, 401)

    def test_barcodes_are_unique_in_their_branch(self):
        copy = {"branchId": self.north, "barcode": "000001"}
        errors = self.send(self.desk.post, f"/books/{self.book}/copies", copy, 400)
        self.assertIn("unique", str(errors))
        copies = self.get(self.anyone, f"/books/{self.book}/copies")
        self.assertEqual(len(copies), 2)

    def test_a_copy_is_lent_to_one_member_at_a_time(self):
        first, second = self.loan(0, 0, "2026-03-01", "2026-03-15"), self.loan(0, 1, "2026-03-02", "2026-03-16")
        self.send(self.ann.post, "/loans", first, 403)
        loan = self.new("/loans", **first)["id"]
        self.assertIn("This copy is on loan.", str(self.send(self.desk.post, "/loans", second, 400)))
        early = self.loan(1, 1, "2026-03-02", "2026-03-01")
        self.assertIn("Must be due after it is lent.", str(self.send(self.desk.post, "/loans", early, 400)))
        self.send(self.desk.post, f"/loans/{loan}/return", {"on": "2026-03-10"}, 204)
        self.new("/loans", **second)
        self.assertEqual(len(self.get(self.ann, "/loans")), 1)
        self.get(self.bob, f"/loans/{loan}", 404)
        self.send(self.desk.delete, f"/loans/{loan}", None, 405)

    def test_a_late_return_costs_a_fee_and_sends_a_message(self):
        loan = self.new("/loans", **self.loan(0, 0, "2026-03-01", "2026-03-15"))["id"]
        self.send(self.ann.post, f"/loans/{loan}/return", {"on": "2026-03-20"}, 403)
        with patch("library.models.send_message") as sent, self.captureOnCommitCallbacks(execute=True):
            self.send(self.desk.post, f"/loans/{loan}/return", {"on": "2026-03-20"}, 204)
            self.send(self.desk.post, f"/loans/{loan}/return", {"on": "2026-03-21"}, 403)
            sent.assert_not_called()
        sent.assert_called_once_with(self.members[0], f"Loan {loan} is back. Thank you!")
        (invoice,) = self.get(self.desk, "/invoices")
        self.assertEqual((invoice["lines"][0]["text"], invoice["lines"][0]["cents"]), ("5 days late", 100))

    def test_an_invoice_is_written_with_its_lines_and_follows_its_states(self):
        lines = [{"text": "Lost book", "cents": 2500}, {"text": "Fee", "cents": 300}]
        body = {"memberId": self.members[0], "lines": lines}
        self.send(self.ann.post, "/invoices", body, 403)
        self.send(self.desk.post, "/invoices", body | {"state": "paid"}, 400)
        invoice = self.new("/invoices", **body)
        self.assertEqual((invoice["state"], invoice["version"], invoice["lines"][1]["cents"]), ("draft", 1, 300))
        url = f"/invoices/{invoice['id']}"
        self.get(self.ann, url, 404)
        change = {"lines": [invoice["lines"][0], {"text": "Fine", "cents": 0}]}
        self.assertIn("cents", self.send(self.desk.patch, url, change, 400)["lines"]["1"])
        self.assertIn("cents", self.send(self.desk.patch, url, {"lines": [{"text": "Fine"}]}, 400)["lines"]["0"])
        self.assertIn("id", self.send(self.desk.patch, url, {"lines": [{"id": 0, "cents": 1}]}, 400)["lines"]["0"])
        change = {"lines": [{"id": invoice["lines"][1]["id"], "cents": 400}, {"text": "Fine", "cents": 5}]}
        changed = self.send(self.desk.patch, url, change, 200)
        self.assertEqual([(line["text"], line["cents"]) for line in changed["lines"]], [("Fee", 400), ("Fine", 5)])
        self.assertEqual(changed["version"], 2)

        self.assertIn("sent", str(self.send(self.desk.patch, url, {"state": "paid"}, 400)["state"]))
        self.send(self.desk.patch, url, {"state": "sent"}, 200)
        self.assertEqual(len(self.get(self.ann, url)["lines"]), 2)
        self.send(self.desk.patch, url, {"lines": []}, 403)
        self.send(self.desk.delete, url, None, 403)
        self.get(self.bob, url, 404)
        self.send(self.desk.patch, url, {"state": "paid"}, 200)
        self.send(self.desk.patch, url, {"state": "void"}, 400)

    def test_loans_are_counted_by_branch_and_month(self):
        for copy, day in [(0, "2026-03-01"), (1, "2026-03-02")]:
            self.new("/loans", **self.loan(copy, copy, day, "2026-05-01"))
        march = {"lentMonth": "2026-03-01", "count": 1}
        counts = self.get(self.desk, "/loans/counts?group=branchId,lentMonth")
        self.assertEqual(counts, [{"branchId": self.north, **march}, {"branchId": self.south, **march}])
        self.assertEqual(self.get(self.ann, "/loans/counts?group=lentMonth"), [march])
        self.get(self.desk, "/loans/counts?group=nothing", 400)
