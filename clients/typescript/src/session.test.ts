import assert from "node:assert/strict";
import { test } from "node:test";

import { status } from "@grpc/grpc-js";

import { sessionEnd } from "./session.js";

test("only temporary errors lead to a reconnect", () => {
  const { OK, UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED } = status;
  for (const code of [OK, UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED]) {
    assert.equal(sessionEnd({ code, details: "" }).kind, "disconnected");
  }
  const { UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT } = status;
  for (const code of [UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT]) {
    assert.equal(sessionEnd({ code, details: "" }).kind, "rejected");
  }
  assert.equal(sessionEnd({ code: status.ABORTED, details: "" }).kind, "taken over");
});
