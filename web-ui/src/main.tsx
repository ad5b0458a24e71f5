import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "@mantine/core/styles.css";
import "@/app/styles.css";
import "@/app/tones.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/App";

const root = document.getElementById("root");
if (root === null) {
  throw new Error("index.html has no element with id root");
}
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
