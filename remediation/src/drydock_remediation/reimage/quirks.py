"""Where vendors differ from the standard, all of it in one table. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Quirks:
    """`boot_target` is what a virtual CD is called as a boot source; `boot_mode` has to be said along with it, if not empty.
    `insert` is what an insertion carries beside the image."""

    vendor: str
    boot_target: str = "Cd"
    boot_mode: str = ""
    insert: tuple[tuple[str, object], ...] = (("Inserted", True), ("WriteProtected", True))

    def boot_once(self) -> dict[str, dict[str, str]]:
        """The body of the PATCH that makes the next boot one from the virtual CD."""
        mode = {"BootSourceOverrideMode": self.boot_mode} if self.boot_mode else {}
        return {"Boot": {"BootSourceOverrideEnabled": "Once", "BootSourceOverrideTarget": self.boot_target, **mode}}


STANDARD = Quirks("standard")
# The beginning of the vendor's or manufacturer's name in lower case.
VENDORS = (
    ("dell", Quirks("Dell", boot_mode="UEFI")),
    ("hpe", Quirks("HPE", boot_mode="UEFI", insert=())),
    ("hewlett", Quirks("HPE", boot_mode="UEFI", insert=())),
    ("supermicro", Quirks("Supermicro", boot_target="UsbCd", insert=())),
    ("super micro", Quirks("Supermicro", boot_target="UsbCd", insert=())),
)


def quirks_of(*names: object) -> Quirks:
    """By the first name that is known: what the service says of its vendor, then what the machine says of its maker."""
    for name in names:
        for beginning, quirks in VENDORS:
            if str(name or "").lower().startswith(beginning):
                return quirks
    return STANDARD
