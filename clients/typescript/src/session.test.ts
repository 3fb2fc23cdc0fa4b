import assert from "node:assert/strict";
import { test } from "node:test";

import { status } from "@grpc/grpc-js";

import { endOf } from "./session.js";

test("only what may pass by itself is a break", () => {
  const { OK, UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED } = status;
  for (const code of [OK, UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED]) {
    assert.equal(endOf({ code, details: "" }).kind, "broken");
  }
  const { UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT } = status;
  for (const code of [UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT]) {
    assert.equal(endOf({ code, details: "" }).kind, "refused");
  }
  assert.equal(endOf({ code: status.ABORTED, details: "" }).kind, "taken over");
});
