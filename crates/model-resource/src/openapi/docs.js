// Starts Swagger UI with the document that the page names.
"use strict";

const place = document.getElementById("docs");

// The index of resources has the CSRF token of the session. It is asked for each write, since a login changes it.
async function csrfToken() {
  const response = await fetch(place.dataset.index, { headers: { Accept: "application/json" } });
  return response.ok ? (await response.json()).csrf : undefined;
}

async function withCsrfToken(request) {
  const method = (request.method || "GET").toUpperCase();
  const isWrite = !["GET", "HEAD", "OPTIONS"].includes(method);
  const isOwn = new URL(request.url, location.href).origin === location.origin;
  const names = Object.keys(request.headers || {}).map((name) => name.toLowerCase());
  if (isWrite && isOwn && !names.includes("authorization")) {
    const csrf = await csrfToken();
    if (csrf && !names.includes(csrf.header)) {
      request.headers[csrf.header] = csrf.token;
    }
  }
  return request;
}

SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor: withCsrfToken,
});
