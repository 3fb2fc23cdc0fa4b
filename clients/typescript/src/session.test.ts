import assert from "node:assert/strict";
import { test } from "node:test";

import { status } from "@grpc/grpc-js";

import { RejectedError, TakenOverError } from "./errors.js";
import { sessionEnd } from "./session.js";

test("only temporary errors lead to a reconnect", () => {
  const { OK, UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED } = status;
  for (const code of [OK, UNAVAILABLE, INTERNAL, CANCELLED, DEADLINE_EXCEEDED]) {
    assert.equal(sessionEnd({ code, details: "" }).kind, "disconnected");
  }
  const { UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT } = status;
  for (const code of [UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT]) {
    const end = sessionEnd({ code, details: "no" });
    assert(end.kind === "final" && end.error instanceof RejectedError);
    assert.deepEqual([end.error.reason, end.error.message], [status[code], "no"]);
  }
  const end = sessionEnd({ code: status.ABORTED, details: "" });
  assert(end.kind === "final" && end.error instanceof TakenOverError);
});
