import { createTheme, Drawer, Modal, type MantineColorsTuple } from "@mantine/core";

const sea: MantineColorsTuple = [
  "#e3fafc",
  "#c5f6fa",
  "#99e9f2",
  "#66d9e8",
  "#3bc9db",
  "#22b8cf",
  "#15aabf",
  "#0b7285",
  "#095f6f",
  "#084c59",
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

/** A dialog's header is no second banner of the page. */
const dialog = { attributes: { header: { role: "presentation" } } };

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
  components: { Modal: Modal.extend({ defaultProps: dialog }), Drawer: Drawer.extend({ defaultProps: dialog }) },
});
