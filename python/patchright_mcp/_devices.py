"""Options for contexts that pretend to be a device. The browser stays Chromium, whatever it calls itself."""

from __future__ import annotations

from typing import Any

_VERSION = "156.0.0.0"
_SAFARI = "Mozilla/5.0 ({0}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 {1}Safari/604.1"
_ANDROID = f"Mozilla/5.0 (Linux; Android 14; {{0}}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{_VERSION} {{1}}Safari/537.36"
_DESKTOP = f"Mozilla/5.0 ({{0}}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{_VERSION} Safari/537.36"
_IPHONE = "iPhone; CPU iPhone OS 18_5 like Mac OS X"
_IPAD = "iPad; CPU OS 18_5 like Mac OS X"

# Name, width and height of the viewport, device pixels to a CSS pixel.
_IPHONES: tuple[tuple[str, int, int, float], ...] = (
    ("iPhone 6", 375, 667, 2), ("iPhone 6 Plus", 414, 736, 3), ("iPhone 7", 375, 667, 2), ("iPhone 7 Plus", 414, 736, 3),
    ("iPhone 8", 375, 667, 2), ("iPhone 8 Plus", 414, 736, 3), ("iPhone SE", 320, 568, 2), ("iPhone X", 375, 812, 3),
    ("iPhone XR", 414, 896, 2), ("iPhone 11", 414, 715, 2), ("iPhone 11 Pro", 375, 635, 3), ("iPhone 12", 390, 664, 3),
    ("iPhone 12 Mini", 375, 629, 3), ("iPhone 12 Pro", 390, 664, 3), ("iPhone 13", 390, 664, 3), ("iPhone 13 Pro", 390, 664, 3),
    ("iPhone 13 Mini", 375, 629, 3), ("iPhone 14", 390, 664, 3), ("iPhone 14 Plus", 428, 746, 3), ("iPhone 14 Pro Max", 430, 740, 3),
    ("iPhone 15", 393, 659, 3), ("iPhone 15 Pro", 393, 659, 3), ("iPhone 15 Pro Max", 430, 739, 3),
)  # fmt: skip
_IPADS: tuple[tuple[str, int, int, float], ...] = (
    ("iPad Mini", 768, 1024, 2),
    ("iPad (gen 7)", 810, 1080, 2),
    ("iPad Pro 11", 834, 1194, 2),
)
_ANDROIDS: tuple[tuple[str, str, int, int, float], ...] = (
    ("Galaxy S8", "SM-G950U", 360, 740, 3), ("Galaxy S9+", "SM-G965U", 320, 658, 4.5), ("Galaxy S24", "SM-S921U", 360, 780, 3),
    ("Nexus 5", "Nexus 5", 360, 640, 3), ("Nexus 6P", "Nexus 6P", 412, 732, 3.5), ("Moto G4", "Moto G (4)", 360, 640, 3),
    ("Pixel 2", "Pixel 2", 411, 731, 2.625), ("Pixel 2 XL", "Pixel 2 XL", 411, 823, 3.5), ("Pixel 3", "Pixel 3", 393, 786, 2.75),
    ("Pixel 4", "Pixel 4", 353, 745, 3), ("Pixel 5", "Pixel 5", 393, 727, 2.75), ("Pixel 7", "Pixel 7", 412, 839, 2.625),
)  # fmt: skip
# Width and height of screens that are larger than the viewport, as a browser has bars above and below it.
_SCREENS: dict[str, tuple[int, int]] = {
    "iPhone 11": (414, 896), "iPhone 11 Pro": (375, 812), "iPhone 12": (390, 844), "iPhone 12 Mini": (375, 812),
    "iPhone 12 Pro": (390, 844), "iPhone 13": (390, 844), "iPhone 13 Pro": (390, 844), "iPhone 13 Mini": (375, 812),
    "iPhone 14": (390, 844), "iPhone 14 Plus": (428, 926), "iPhone 14 Pro Max": (430, 932), "iPhone 15": (393, 852),
    "iPhone 15 Pro": (393, 852), "iPhone 15 Pro Max": (430, 932), "Pixel 5": (393, 851), "Pixel 7": (412, 915),
}  # fmt: skip
_DESKTOPS: tuple[tuple[str, str, float], ...] = (
    ("Desktop Chrome", _DESKTOP.format("Windows NT 10.0; Win64; x64"), 1),
    ("Desktop Chrome HiDPI", _DESKTOP.format("Windows NT 10.0; Win64; x64"), 2),
    ("Desktop Edge", _DESKTOP.format("Windows NT 10.0; Win64; x64") + f" Edg/{_VERSION}", 1),
    (
        "Desktop Safari",
        _SAFARI.format("Macintosh; Intel Mac OS X 10_15_7", "").replace("604.1", "605.1.15"),
        2,
    ),
    (
        "Desktop Firefox",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
        1,
    ),
)


def devices() -> dict[str, dict[str, Any]]:
    """All devices, by name; the handheld ones also lying on their side."""
    known: dict[str, dict[str, Any]] = {}
    for name, width, height, density in _IPHONES:
        _add(known, name, _SAFARI.format(_IPHONE, "Mobile/15E148 "), (width, height), density, "webkit")
    for name, width, height, density in _IPADS:
        _add(known, name, _SAFARI.format(_IPAD, "Mobile/15E148 "), (width, height), density, "webkit")
    for name, model, width, height, density in _ANDROIDS:
        _add(known, name, _ANDROID.format(model, "Mobile "), (width, height), density, "chromium")
    for name, user_agent, density in _DESKTOPS:
        makers = {"Desktop Safari": "webkit", "Desktop Firefox": "firefox"}
        known[name] = _device(
            user_agent, (1280, 720), density, handheld=False, maker=makers.get(name, "chromium")
        )
    return known


def _add(
    known: dict[str, dict[str, Any]],
    name: str,
    user_agent: str,
    size: tuple[int, int],
    scale: float,
    maker: str,
) -> None:
    known[name] = _device(user_agent, size, scale, handheld=True, maker=maker)
    known[f"{name} landscape"] = _device(user_agent, size[::-1], scale, handheld=True, maker=maker)
    if name in _SCREENS:
        width, height = _SCREENS[name]
        for device in (known[name], known[f"{name} landscape"]):
            device["screen"] = {"width": width, "height": height}


def _device(
    user_agent: str, size: tuple[int, int], scale: float, *, handheld: bool, maker: str
) -> dict[str, Any]:
    return {
        "user_agent": user_agent,
        "viewport": {"width": size[0], "height": size[1]},
        "device_scale_factor": scale,
        "is_mobile": handheld,
        "has_touch": handheld,
        "default_browser_type": maker,
    }
