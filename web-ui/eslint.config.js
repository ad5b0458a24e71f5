import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** Features any other may use, through their index. */
const SHARED_FEATURES = ["session", "live"];
const NEVER = [
  { group: ["../*"], message: "Another folder is imported as @/folder." },
  { group: ["@/features/*/*"], message: "A feature is used through its index." },
];
const APP = { group: ["@/app/*"], message: "Only main.tsx knows the app; it knows everything." };
const FEATURES = { group: ["@/features/*"], message: "This folder is below the features." };

/** Who may import what: app over features over shared over api. */
function boundary(files, ...forbidden) {
  return { files, rules: { "no-restricted-imports": ["error", { patterns: [...NEVER, ...forbidden] }] } };
}

const otherFeatures = {
  group: ["@/features/*", ...SHARED_FEATURES.map((name) => `!@/features/${name}`)],
  message: `Features know none of the others but ${SHARED_FEATURES.join(" and ")}.`,
};

export default defineConfig(
  globalIgnores(["target", "node_modules", "src/api/types.gen.ts"]),
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [
      tseslint.configs.strictTypeChecked,
      tseslint.configs.stylisticTypeChecked,
      hooks.configs.flat.recommended,
    ],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      // A link that starts a promise needs no answer: its query shows what came of it.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreVoidOperator: true }],
      "no-console": "error",
    },
  },
  {
    files: ["build/*.mjs", "public/*.js"],
    languageOptions: {
      globals: { console: "readonly", document: "readonly", localStorage: "readonly", matchMedia: "readonly" },
    },
  },
  boundary(["src/app/**"]),
  boundary(["src/features/**"], APP, otherFeatures),
  boundary(["src/shared/**"], APP, FEATURES),
  boundary(["src/api/**"], APP, FEATURES, { group: ["@/shared/*"], message: "The data know nothing of the screen." }),
);
