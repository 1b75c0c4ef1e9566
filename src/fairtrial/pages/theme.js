/* The button that changes between dark and light, on reports and in the explorer: a classic script that defines `theme`.

  theme(button)   the button says what it changes to; at first the page is as the system asks */
const theme = (button) => {
  "use strict";
  const root = document.documentElement;
  const isDark = () => root.classList.contains("dark") ||
    (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    const dark = !isDark();
    root.classList.toggle("dark", dark);
    root.classList.toggle("light", !dark);
    label();
  });
  label();
};
