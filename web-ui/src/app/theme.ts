import { createTheme, type MantineColorsTuple } from "@mantine/core";

const sea: MantineColorsTuple = [
  "#e3fafc",
  "#c5f6fa",
  "#99e9f2",
  "#66d9e8",
  "#3bc9db",
  "#22b8cf",
  "#15aabf",
  "#0c7f92",
  "#0b6c7d",
  "#0a5a68",
];

/** A dark theme of slate instead of grey. */
const dark: MantineColorsTuple = [
  "#dbe2ea",
  "#bcc6d0",
  "#a1acb8",
  "#7b8896",
  "#4b5663",
  "#36414d",
  "#1f2730",
  "#171d24",
  "#12171d",
  "#0f1419",
];

export const theme = createTheme({
  primaryColor: "sea",
  primaryShade: { light: 7, dark: 7 },
  colors: { sea, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
});
