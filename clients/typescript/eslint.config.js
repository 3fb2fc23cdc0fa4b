import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
    { ignores: ["dist", "docs", "src/stubs"] },
    {
        files: ["src/**/*.ts"],
        extends: [eslint.configs.recommended, tseslint.configs.strictTypeChecked],
        languageOptions: { parserOptions: { projectService: true } },
        linterOptions: { noInlineConfig: true },
        rules: {
            // `const { unwanted, ...others } = all` leaves a property out.
            "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
            // A number in a text reads as everybody expects.
            "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
        },
    },
    {
        files: ["src/**/*.test*.ts"],
        rules: {
            // Node runs the tests that a file declares; nobody waits for them.
            "@typescript-eslint/no-floating-promises": [
                "error",
                { allowForKnownSafeCalls: [{ from: "package", name: "test", package: "node:test" }] },
            ],
            // A value that is missing makes its test fail.
            "@typescript-eslint/no-non-null-assertion": "off",
            // The test vectors are JSON whose fields have many forms.
            "@typescript-eslint/no-explicit-any": "off",
            "@typescript-eslint/no-unsafe-argument": "off",
            "@typescript-eslint/no-unsafe-assignment": "off",
            "@typescript-eslint/no-unsafe-member-access": "off",
            "@typescript-eslint/no-unsafe-return": "off",
            // Tests encode numbers that the contract does not name.
            "@typescript-eslint/no-unsafe-enum-assignment": "off",
        },
    },
);
