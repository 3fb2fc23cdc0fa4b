"""A visitor of the pages behind a token, without JavaScript.

It keeps cookies as a browser does, sends the forms that it finds on pages, and fails if its token is anywhere but in
the cookie.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.e2e.server import TIMEOUT_S

FORM = "application/x-www-form-urlencoded"


@dataclass
class FoundForm:
    """A form on a page."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


class Forms(HTMLParser):
    """Collects the forms of a page, with the values that a browser would send if nothing were changed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[FoundForm] = []
        self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: text or "" for name, text in attrs}
        if tag == "form":
            self.forms.append(FoundForm(named["action"], named["method"]))
        elif tag == "input":
            self.forms[-1].fields[named["name"]] = named.get("value", "")
        elif tag == "select":
            self._select = named["name"]
        elif tag == "option":
            self.forms[-1].fields.setdefault(self._select, named["value"])


@dataclass(frozen=True)
class PageAnswer:
    """What the visitor received."""

    status: int
    headers: Mapping[str, str]
    body: str

    def form(self, action: str, **fields: str) -> FoundForm:
        """Return the first form that leads to an action and has these fields already."""
        for form in Forms(self.body).forms:
            if form.action.rpartition("/")[2] == action and form.fields.items() >= fields.items():
                return form
        raise AssertionError(f"no form for {action} with {fields} in {self.body}")

    def has_form(self, action: str, **fields: str) -> bool:
        forms = Forms(self.body).forms
        return any(form.action.endswith(f"/{action}") and form.fields.items() >= fields.items() for form in forms)


class Visitor:
    """A browser without JavaScript."""

    def __init__(self, site: str, token: str) -> None:
        self.site = site
        self.token = token
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []
        """Set-Cookie headers of the last answer."""

    def sign_in(self) -> PageAnswer:
        return self.post("/account/session", {"token": self.token})

    def get(self, path: str, **query: str) -> PageAnswer:
        return self.request("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> PageAnswer:
        """Send a form as a browser would from a page of the site; `headers` replace those with these names."""
        own = {"content-type": FORM, "origin": f"http://{self.site}", "sec-fetch-site": "same-origin"}
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.request("POST", path, urlencode(fields), {**own, **named})

    def submit(self, form: FoundForm, **fields: str) -> PageAnswer:
        values = {**form.fields, **fields}
        return self.get(form.action, **values) if form.method == "get" else self.post(form.action, values)

    def do(self, page: str, action: str, wanted: Mapping[str, str] | None = None, **fields: str) -> PageAnswer:
        """Fill in the form of an action on a page, confirm it, and return the page that says what was done."""
        return self.follow(self.confirm(self.get(page), action, wanted, **fields))

    def confirm(
        self, page: PageAnswer, action: str, wanted: Mapping[str, str] | None = None, **fields: str
    ) -> PageAnswer:
        confirmation = self.submit(page.form(action, **(wanted or {})), **fields)
        assert confirmation.status == 200, confirmation.body
        return self.submit(confirmation.form(action))

    def form_of(self, page: str, action: str, **fields: str) -> FoundForm:
        """Fill in the form of an action on a page, and return the one of its confirmation."""
        return self.submit(self.get(page).form(action), **fields).form(action)

    def follow(self, answer: PageAnswer) -> PageAnswer:
        assert answer.status == 303, answer.body
        return self.get(answer.headers["location"])

    def request(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] | None = None
    ) -> PageAnswer:
        """Send a request. Fails if the token is in the answer anywhere but in a cookie."""
        sent = {**(headers or {})}
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={text}" for name, text in self.cookies.items())
        connection = HTTPConnection(self.site, timeout=TIMEOUT_S)
        try:
            connection.request(method, path, body, sent)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        named = [(name.lower(), value) for name, value in response.getheaders()]
        self.set_cookies = [value for name, value in named if name == "set-cookie"]
        answer = PageAnswer(response.status, {name: value for name, value in named if name != "set-cookie"}, text)
        assert self.token not in text, "the token is in the page"
        assert self.token not in str(answer.headers), "the token is in a header"
        self._keep_cookies()
        return answer

    def _keep_cookies(self) -> None:
        for header in self.set_cookies:
            for name, cookie in SimpleCookie(header).items():
                self.cookies.pop(name, None)
                if cookie["max-age"] != "0":
                    self.cookies[name] = cookie.coded_value


def signed_in(site: str, token: str) -> Visitor:
    visitor = Visitor(site, token)
    assert visitor.sign_in().status == 303
    return visitor
