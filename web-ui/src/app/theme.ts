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

export const theme = createTheme({
  primaryColor: "sea",
  primaryShade: { light: 7, dark: 7 },
  colors: { sea },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
});
